#pragma once

#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "coordinator/options.hpp"
#include "coordinator/store/tools/store_tools.hpp"

namespace muster::coordinator {

/// `muster-coordinator store WHAT [FILE]`.
struct StoreCommand {
    std::string what;  ///< export, import, check, migrate or backup.
    std::string file;
    std::string to;  ///< Of migrate: etcd or sqlite.
    bool is_dry = false;
};

/// Opens a store in etcd. Reads the files of certificates and of the password.
using OpenEtcdStore = Result<std::unique_ptr<WholeStore>> (*)(const EtcdOptions& options);

/// Nothing: the words make sense. Otherwise what would be right.
[[nodiscard]] Result<void> check_usage(const StoreCommand& command);

/// Carries it out on the store that the options name. `etcd` is used only if they name endpoints of
/// etcd.
[[nodiscard]] Result<ToolOutcome> run_store_command(const Options& options,
                                                    const StoreCommand& command,
                                                    OpenEtcdStore etcd);

/// The exit code of a failed command, as of `muster`.
[[nodiscard]] int exit_status_of(Errc code);

}  // namespace muster::coordinator
