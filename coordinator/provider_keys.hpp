#pragma once

#include "common/config/toml_fields.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/providers/provider_options.hpp"

namespace muster::coordinator {

/// Reads the tables `[providers.NAME]` and `[predictors.NAME]` of a configuration. The core gets
/// their names. The faults go to `fields`.
void read_outside(TomlFields& fields, const toml::table& file, OutsideOptions& into,
                  CoordinatorOptions& core);

}  // namespace muster::coordinator
