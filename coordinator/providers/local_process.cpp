#include "coordinator/providers/local_process.hpp"

#include <string_view>

#include "common/base/process.hpp"

namespace muster::coordinator {

namespace {

/// Where a process of this host reaches what is bound there.
std::string from_here(std::string endpoint) {
    for (const std::string_view every : {"tcp://0.0.0.0:", "tcp://*:"}) {
        if (endpoint.starts_with(every)) {
            endpoint.replace(0, every.size(), "tcp://127.0.0.1:");
        }
    }
    return endpoint;
}

}  // namespace

Result<void> find_local_programs(OutsideOptions& options, const LocalPlaces& places) {
    for (auto& provider : options.providers) {
        if (provider.kind != ProviderKind::local_process) {
            continue;
        }
        const auto program = program_of_muster("muster-pool-local");
        if (program.empty()) {
            return fail(Errc::io,
                        "provider " + provider.name +
                            " has the kind local-process, but there is no program "
                            "muster-pool-local beside this one or in ../libexec/muster; install "
                            "it, or remove [providers." +
                            provider.name + "]");
        }
        const auto directory =
            provider.directory.empty() ? places.state + "/pools" : provider.directory;
        provider.command = {
            program,       "--directory",   directory, "--agents", from_here(places.agents),
            "--operators", places.operators};
        provider.command.insert(provider.command.end(), provider.arguments.begin(),
                                provider.arguments.end());
    }
    return {};
}

}  // namespace muster::coordinator
