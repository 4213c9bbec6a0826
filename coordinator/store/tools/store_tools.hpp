#pragma once

#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/crypto/cluster_keys.hpp"
#include "coordinator/store/whole_store.hpp"

/// What operators do with a whole store: `muster store export`, `import`, `check`, `migrate` and
/// `backup`.
namespace muster::coordinator {

struct ToolRun {
    bool is_dry = false;                  ///< Nothing is written.
    std::optional<ClusterSecret> keys{};  ///< Of the state directory.
    CivilMs now{};
};

/// The outcome of a tool. The text says to a person what was done, or would be.
struct ToolOutcome {
    std::string text;
    bool is_faulty = false;  ///< A check found faults.
};

/// `file`: empty or `-` for standard output, then the export is the text.
[[nodiscard]] Result<ToolOutcome> export_store(WholeStore& store, const std::string& file,
                                               const ToolRun& run);
/// The file is an export, or a backup. With keys, the audit gets a row about it. The rows get the
/// next epoch, so that agents which a leader with them has polled do not obey another one of the
/// store that the file came from.
[[nodiscard]] Result<ToolOutcome> import_store(WholeStore& store, const std::string& file,
                                               const ToolRun& run);
[[nodiscard]] Result<ToolOutcome> check_store(WholeStore& store, const ToolRun& run);
/// The rows get a row of the audit and the next epoch, likewise.
[[nodiscard]] Result<ToolOutcome> migrate_store(WholeStore& from, WholeStore& to,
                                                const ToolRun& run);
/// Of the store in a file: a copy that is such a file.
[[nodiscard]] Result<ToolOutcome> back_up_file(const std::string& store, const std::string& file,
                                               const ToolRun& run);

}  // namespace muster::coordinator
