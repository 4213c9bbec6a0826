#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/contexts/contexts.hpp"
#include "cli/screen/table.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/doctor/findings.hpp"
#include "cli/subjects/verbs.hpp"
#include "common/base/paths.hpp"
#include "common/base/read_file.hpp"
#include "common/codec/codec.hpp"
#include "common/crypto/cluster_keys.hpp"
#include "common/net/host/clock.hpp"

namespace muster::cli {

namespace {

constexpr std::size_t nodes_shown = 50;  // Each is a request of its own.

/// Puts the answer into its place, if the role allows it and somebody leads; an error only if
/// nobody answers.
template <class Reply>
Result<void> ask_into(Console& console, const RequestBody& request, std::optional<Reply>& into) {
    auto answer = console.ask(request);
    if (!answer) {
        const Errc code = answer.error().code;
        return code == Errc::denied || code == Errc::not_leader ? Result<void>{}
                                                                : tl::unexpected{answer.error()};
    }
    if (auto* const reply = std::get_if<Reply>(&*answer)) {
        into = std::move(*reply);
    }
    return {};
}

void show_nodes(Console& console, Facets& facets) {
    if (!facets.nodes) {
        return;
    }
    for (const NodeView& node : facets.nodes->nodes) {
        if (facets.shown.size() == nodes_shown) {
            return;
        }
        std::optional<NodeShowReply> shown;
        if (node.health != "lost" && ask_into(console, NodeShowRequest{node.name}, shown) &&
            shown) {
            facets.shown.push_back(std::move(*shown));
        }
    }
}

/// The contexts of this user, and the cluster's keys if this user may see them.
std::vector<std::string> file_faults() {
    std::vector<std::string> faults;
    const Contexts contexts = Contexts::of_user();
    for (const std::string& name : contexts.names()) {
        if (const auto context = contexts.read(name); !context) {
            faults.push_back(context.error().detail);
        }
    }
    const auto directories = paths::directories("", "");
    for (const auto& state : {directories.state, std::string{"/var/lib/muster-coordinator"}}) {
        const std::string directory = state + "/coordinator";
        if (access(directory.c_str(), R_OK | X_OK) == 0) {
            if (const auto keys = read_cluster_keys(directory); !keys) {
                faults.push_back(keys.error().detail);
            }
        }
    }
    return faults;
}

std::string as_json(const std::vector<Finding>& findings) {
    auto rows = nlohmann::json::array();
    for (const Finding& one : findings) {
        rows.push_back({{"severity", one.severity == Severity::broken ? "broken" : "weak"},
                        {"what", one.what},
                        {"remedy", one.remedy}});
    }
    const nlohmann::json document{{"findings", std::move(rows)}};
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

std::string as_text(const std::vector<Finding>& findings, const Style& style) {
    if (findings.empty()) {
        return "nothing is weak or broken\n";
    }
    Table table{{"", "FINDING", "WHAT HELPS"}};
    for (const Finding& one : findings) {
        const bool is_broken = one.severity == Severity::broken;
        table.add({Cell{is_broken ? "broken" : "weak", is_broken ? Tone::bad : Tone::attention},
                   one.what, one.remedy});
    }
    return table.to_text(style);
}

/// Files of one support bundle, in a directory that is removed with it.
class BundleFiles {
public:
    BundleFiles() : path_{std::filesystem::temp_directory_path() / "muster-bundle-XXXXXX"} {
        is_made_ =
            mkdtemp(path_.data()) != nullptr && mkdir((path_ + "/muster").c_str(), 0700) == 0;
    }
    ~BundleFiles() {
        std::error_code hidden;
        std::filesystem::remove_all(path_, hidden);
    }
    BundleFiles(const BundleFiles&) = delete;
    BundleFiles& operator=(const BundleFiles&) = delete;

    [[nodiscard]] bool is_made() const { return is_made_; }
    void add(const std::string& name, const std::string& text) const {
        std::ofstream{path_ + "/muster/" + name} << text;
    }
    [[nodiscard]] Result<void> pack(const std::string& archive) const {
        std::array<std::string, 6> words{"tar", "-czf", archive, "-C", path_, "muster"};
        std::array<char*, 7> argv{};
        std::ranges::transform(words, argv.begin(), [](std::string& word) { return word.data(); });
        pid_t pid = -1;
        int status = 0;
        const int failed = posix_spawnp(&pid, "tar", nullptr, nullptr, argv.data(), environ);
        if (failed != 0 || waitpid(pid, &status, 0) != pid || status != 0) {
            return fail(Errc::io, archive + " cannot be written" +
                                      (failed != 0 ? ": tar: " + std::string{std::strerror(failed)}
                                                   : ": tar says why"));
        }
        return {};
    }

private:
    std::string path_;
    bool is_made_ = false;
};

}  // namespace

ExitCode run_doctor(Console& console, const std::string& version) {
    Facets facets;
    facets.now = net::civil_now();
    facets.version = version;
    facets.file_faults = file_faults();
    const auto reached = ask_into(console, PingRequest{}, facets.ping);
    if (!reached) {
        // The files may be the reason why.
        if (!facets.file_faults.empty()) {
            print_error(as_text(diagnose(facets), console.settings().style()));
        }
        return console.fail_with(reached.error());
    }
    for (const auto& asked : {ask_into(console, StatusRequest{}, facets.status),
                              ask_into(console, StatsRequest{}, facets.stats),
                              ask_into(console, NodeListRequest{}, facets.nodes),
                              ask_into(console, KeyListRequest{}, facets.keys),
                              ask_into(console, TokenListRequest{}, facets.tokens),
                              ask_into(console, EventsRequest{}, facets.events),
                              ask_into(console, CoordinatorListRequest{}, facets.coordinators)}) {
        if (!asked) {
            return console.fail_with(asked.error());
        }
    }
    // It is refused while a coordinator is older, which the list shows.
    static_cast<void>(ask_into(console, UpgradeFinishRequest{.dry_run = true}, facets.upgrade));
    show_nodes(console, facets);
    const auto findings = diagnose(facets);
    return deliver(
        console.settings().json ? as_json(findings) : as_text(findings, console.settings().style()),
        findings.empty() ? ExitCode::ok : ExitCode::difference);
}

ExitCode run_bundle(Console& console, const CommandLine& line, const std::string& version) {
    const std::string archive = line.value("--output").value_or("muster-support.tgz");
    const BundleFiles files;
    if (!files.is_made()) {
        return console.fail_with({Errc::io, "no temporary directory can be made"});
    }
    files.add("version", "muster " + version + "\n");
    // No specs: the environment of a task may hold secrets.
    const std::pair<const char*, RequestBody> asked[] = {
        {"ping", PingRequest{}},         {"status", StatusRequest{}},
        {"stats", StatsRequest{}},       {"nodes", NodeListRequest{}},
        {"tasks", TaskListRequest{}},    {"reported", ReportedRequest{}},
        {"events", EventsRequest{}},     {"limits", LimitListRequest{}},
        {"freeze", FreezeShowRequest{}}, {"keys", KeyListRequest{}},
        {"tokens", TokenListRequest{}},  {"coordinators", CoordinatorListRequest{}}};
    for (const auto& [name, request] : asked) {
        const auto answer = console.ask(request);
        files.add(std::string{name} + ".json", answer ? codec::to_json(Reply{{}, *answer}) + "\n"
                                                      : error_document(answer.error()));
    }
    for (const std::string name : {"coordinator.toml", "agent.toml"}) {
        if (const auto text = read_file("/etc/muster/" + name, limits::configuration_bytes)) {
            files.add(name, *text);
        }
    }
    if (const auto packed = files.pack(archive); !packed) {
        return console.fail_with(packed.error());
    }
    return deliver(
        fmt::format("{} has the state of the cluster, its events and the configuration "
                    "of this host; no secrets, no task's environment, no output\n",
                    printable(archive)));
}

}  // namespace muster::cli
