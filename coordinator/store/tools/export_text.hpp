#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "coordinator/store/mirror.hpp"

/// A whole store as text, one JSON object a line:
///
///     {"muster_store":1,"schema":9,"cluster":"...","epoch":5,"counter":7}
///     {"table":"meta","key":"...","row":{...}}         each row, in the form of Mirror
///     {"rows":131,"hash":"..."}                        of all lines before this one
///
/// The last line shows that nothing was cut off or changed.
namespace muster::coordinator {

struct Export {
    std::string text;
    std::size_t rows = 0;
};

[[nodiscard]] Result<Export> export_of(const Mirror& rows);

/// `name`: of the file, in errors, which also say in which line. Whether a coordinator can start
/// with the rows is another matter.
[[nodiscard]] Result<std::unique_ptr<Mirror>> read_export(std::string_view text,
                                                          const std::string& name);

}  // namespace muster::coordinator
