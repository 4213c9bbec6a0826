#include <algorithm>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "common/base/number.hpp"
#include "common/base/process.hpp"
#include "common/base/read_file.hpp"
#include "common/log/daemon_main.hpp"
#include "coordinator/providers/local/call.hpp"
#include "coordinator/providers/local/nodes.hpp"

namespace {

using namespace muster::daemon_main;
using namespace muster::local_provider;

constexpr Program program{
    "muster-pool-local", MUSTER_VERSION,
    "Makes nodes of a pool: agents on this host. A coordinator runs it, as a provider:\n"
    "muster-pool-local OPTIONS list | provision N | remove ID, with JSON on standard input"};

constexpr std::size_t input_bytes = 64 * 1024;

struct Arguments {
    std::string directory;
    std::string agents;
    std::string operators;
    std::string agent_program;
    std::string labels;
    std::string memory;
    std::string cpu;
    std::string slots;
};

// Without a verb there may be one word: --help, -h or --version.
bool asks_for_help(int argc, const char* const* argv) {
    return argc == 2 && std::string_view{argv[1]}.starts_with('-');
}

std::optional<int> read_into(Arguments& into, int argc, char** argv) {
    return read_command_line(
        argc, argv, program,
        {{"--directory", &into.directory, "Where each node has a directory; a short path"},
         {"--agents", &into.agents, "Where the coordinator listens for agents"},
         {"--operators", &into.operators,
          "The coordinator's local socket: ipc://RUN/operators.sock"},
         {"--agent-program", &into.agent_program, "The program of an agent (muster-agent)"},
         {"--label", &into.labels, "KEY=VALUE of each node; several with commas between"},
         {"--memory", &into.memory, "What each node offers, such as 512MiB (all of the host)"},
         {"--cpu", &into.cpu, "Cores that each node offers (all of the host)"},
         {"--slots", &into.slots, "Slots that each node offers (any number)"}});
}

muster::Result<std::map<std::string, std::string>> labels_in(std::string text) {
    std::map<std::string, std::string> labels;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        const std::string label = text.substr(0, end);
        const auto middle = label.find('=');
        if (middle == std::string::npos || middle == 0 || middle + 1 == label.size()) {
            return muster::fail(
                muster::Errc::invalid,
                "--label takes KEY=VALUE, such as rack=r7, not " + muster::in_quotes(label));
        }
        labels[label.substr(0, middle)] = label.substr(middle + 1);
        text.erase(0, end + 1);
    }
    return labels;
}

muster::Result<Nodes::Options> options_of(const Arguments& arguments) {
    for (const auto& [name, value] :
         {std::pair{"--directory", &arguments.directory}, std::pair{"--agents", &arguments.agents},
          std::pair{"--operators", &arguments.operators}}) {
        if (value->empty()) {
            return muster::fail(muster::Errc::invalid,
                                std::string{name} + " is missing; --help says what it is");
        }
    }
    auto labels = labels_in(arguments.labels);
    if (!labels) {
        return tl::unexpected{labels.error()};
    }
    std::string agent = arguments.agent_program.empty() ? muster::program_of_muster("muster-agent")
                                                        : arguments.agent_program;
    if (agent.empty()) {
        return muster::fail(muster::Errc::not_found,
                            "muster-agent is not beside this program; give --agent-program FILE");
    }
    if (!arguments.slots.empty() && !muster::number_in<std::uint32_t>(arguments.slots)) {
        return muster::fail(muster::Errc::invalid,
                            "--slots takes a number, not " + muster::in_quotes(arguments.slots));
    }
    return Nodes::Options{.directory = arguments.directory,
                          .operators = arguments.operators,
                          .agents = {.program = std::move(agent),
                                     .coordinator = arguments.agents,
                                     .labels = *std::move(labels),
                                     .memory = arguments.memory,
                                     .cpu = arguments.cpu,
                                     .slots = arguments.slots}};
}

muster::Result<std::string> answer(const Nodes& nodes, const Verb& verb) {
    if (const auto* const wanted = std::get_if<Provision>(&verb)) {
        return nodes.provision(wanted->count).map([&] { return granted(wanted->count); });
    }
    if (const auto* const gone = std::get_if<Remove>(&verb)) {
        return nodes.remove(gone->id).map([] { return removed(); });
    }
    return listed(nodes.list());
}

}  // namespace

int main(int argc, char** argv) {
    muster::hold_standard_files();
    muster::keep_memory_private();  // For the tokens.
    std::signal(SIGPIPE, SIG_IGN);
    const auto found = verb_in(argc, argv);
    if (!found && !asks_for_help(argc, argv)) {
        return end_with(exit_usage, program.name, found.error().detail);
    }
    Arguments arguments;
    if (const auto status = read_into(arguments, found ? argc - found->words : argc, argv)) {
        return *status;
    }
    auto options = options_of(arguments);
    if (!options) {
        return end_with(exit_usage, program.name, options.error().detail);
    }
    auto done =
        muster::read_file("-", input_bytes)
            .and_then([&](const std::string& text) { return subject_in(text, found->verb); })
            .and_then([&](const Subject& subject) {
                return answer(Nodes{*std::move(options), subject}, found->verb);
            });
    if (!done) {
        return end_with(exit_error, program.name, done.error().detail);
    }
    std::cout << *done << '\n' << std::flush;
    return std::cout ? 0 : exit_error;
}
