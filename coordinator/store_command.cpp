#include "coordinator/store_command.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/paths.hpp"
#include "common/base/process.hpp"
#include "common/crypto/cluster_keys.hpp"
#include "common/net/host/clock.hpp"
#include "coordinator/store/tools/whole_file.hpp"

namespace muster::coordinator {

namespace {

Result<ToolOutcome> with_advice(ToolOutcome outcome, bool is_dry, std::string_view advice) {
    if (!is_dry) {
        outcome.text += advice;
        outcome.text += '\n';
    }
    return outcome;
}

Result<ToolOutcome> migrate(const StoreCommand& command, WholeStore& file, WholeStore* etcd,
                            const ToolRun& run) {
    if (command.to == "etcd") {
        return etcd == nullptr
                   ? fail(Errc::invalid,
                          "migrate --to etcd needs to know which etcd: write [etcd] with endpoints "
                          "into the configuration, and give it with --config; a coordinator reads "
                          "it when it starts")
                   : migrate_store(file, *etcd, run).and_then([&](ToolOutcome&& outcome) {
                         return with_advice(std::move(outcome), run.is_dry,
                                            "the configuration names etcd already, so start the "
                                            "coordinators");
                     });
    }
    return etcd == nullptr
               ? fail(Errc::invalid,
                      "the configuration has no [etcd] with endpoints, so the store in use is a "
                      "file already; --config names another configuration")
               : migrate_store(*etcd, file, run).and_then([&](ToolOutcome&& outcome) {
                     return with_advice(std::move(outcome), run.is_dry,
                                        "take [etcd] out of the configuration, and start the "
                                        "coordinator of this host");
                 });
}

Result<ToolOutcome> run_on(const Options& options, const StoreCommand& command, OpenEtcdStore etcd,
                           const std::string& state, std::optional<ClusterSecret> keys) {
    const ToolRun run{.is_dry = command.is_dry, .keys = std::move(keys), .now = net::civil_now()};
    WholeFile file{state};
    std::unique_ptr<WholeStore> in_etcd;
    if (!options.etcd.endpoints.empty()) {
        auto opened = etcd(options.etcd);
        if (!opened) {
            return tl::unexpected{opened.error()};
        }
        in_etcd = std::move(*opened);
    }
    WholeStore& store = in_etcd ? *in_etcd : file;
    if (command.what == "export") {
        return export_store(store, command.file, run);
    }
    if (command.what == "import") {
        return import_store(store, command.file, run);
    }
    if (command.what == "check") {
        return check_store(store, run);
    }
    if (command.what == "backup") {
        return in_etcd ? export_store(store, command.file, run)
                       : back_up_file(state + "/store.sqlite", command.file, run);
    }
    return migrate(command, file, in_etcd.get(), run);
}

}  // namespace

Result<void> check_usage(const StoreCommand& command) {
    constexpr std::array known{"export", "import", "check", "migrate", "backup"};
    if (std::ranges::find(known, command.what) == known.end()) {
        return fail(Errc::invalid, in_quotes(command.what) +
                                       " is none of export, import, check, migrate and backup");
    }
    const bool takes_file = command.what != "check" && command.what != "migrate";
    if (!takes_file && !command.file.empty()) {
        return fail(Errc::invalid, command.what + " takes no file");
    }
    const bool needs_file = command.what == "import" || command.what == "backup";
    if (needs_file && (command.file.empty() || (command.what == "backup" && command.file == "-"))) {
        return fail(Errc::invalid, command.what + " needs the name of a file");
    }
    const bool is_place = command.to == "etcd" || command.to == "sqlite";
    if (command.what == "migrate" ? !is_place : !command.to.empty()) {
        return fail(Errc::invalid, "migrate needs --to etcd or --to sqlite, and only migrate");
    }
    return {};
}

Result<ToolOutcome> run_store_command(const Options& options, const StoreCommand& command,
                                      OpenEtcdStore etcd) {
    const auto directories = paths::directories(options.state_dir, options.run_dir);
    const std::string state = paths::coordinator_state(directories);
    auto keys = read_cluster_secret(state);
    if (!keys) {
        return tl::unexpected{keys.error()};
    }
    if (*keys) {
        keep_memory_private();
    }
    auto done = run_on(options, command, etcd, state, std::move(*keys));
    if (!done && done.error().code == Errc::not_found && options.state_dir.empty()) {
        return fail(Errc::not_found,
                    done.error().detail + "; --config or --state-dir says where another one is");
    }
    return done;
}

int exit_status_of(Errc code) {
    constexpr int error = 1;
    constexpr int refused = 6;
    const bool is_refused = code == Errc::refused || code == Errc::exists ||
                            code == Errc::invalid || code == Errc::busy || code == Errc::denied;
    return is_refused ? refused : error;
}

}  // namespace muster::coordinator
