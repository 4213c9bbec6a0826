#pragma once

#include <vector>

#include <toml++/toml.h>

#include "common/config/toml_fields.hpp"
#include "common/spec/spec.hpp"

namespace muster {

/// An array of tables `[[task]]`, each name once; none if there is no node. The keys of a task are
/// those of its description.
[[nodiscard]] std::vector<WantedTask> read_tasks(TomlFields& fields, const toml::node* node);

}  // namespace muster
