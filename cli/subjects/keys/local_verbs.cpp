#include "cli/subjects/keys/local_verbs.hpp"

#include <string>

#include <fmt/format.h>

#include "cli/contexts/contexts.hpp"
#include "cli/screen/table.hpp"
#include "cli/screen/terminal.hpp"
#include "cli/subjects/console.hpp"
#include "common/base/paths.hpp"
#include "common/crypto/cluster_keys.hpp"
#include "common/crypto/random_key.hpp"
#include "common/crypto/signature.hpp"
#include "common/net/endpoint.hpp"
#include "common/net/host/entropy.hpp"

namespace muster::cli {

namespace {

constexpr std::string_view usual_coordinator = "tcp://127.0.0.1:7701";
constexpr std::string_view usual_name = "default";

ExitCode fail_with(const CommandLine& line, const Error& error) {
    show_error(error, line.wants_json());
    return exit_code_of(error.code);
}

/// The endpoints that the option or its variable gives.
Result<std::string> coordinator_of(const CommandLine& line) {
    const std::string given =
        line.value("--coordinator").value_or(paths::variable("MUSTER_COORDINATOR"));
    return net::endpoints_to_connect(given.empty() ? std::string{usual_coordinator} : given);
}

Result<void> check_free(const Contexts& contexts, const std::string& name) {
    if (!is_valid_name(name)) {
        return fail(Errc::invalid,
                    in_quotes(name) + " is no name for a context: " + std::string{name_rule()});
    }
    const auto known = contexts.read(name);
    if (known || known.error().code != Errc::not_found) {
        return fail(Errc::exists, "there is a context '" + name + "' already, in " +
                                      contexts.path_of(name) +
                                      "; choose another name with --context");
    }
    return {};
}

}  // namespace

ExitCode run_init(const CommandLine& line) {
    const Contexts contexts = Contexts::of_user();
    const std::string name = line.value("--context").value_or(std::string{usual_name});
    const auto coordinator = coordinator_of(line);
    if (!coordinator) {
        return fail_with(line, coordinator.error());
    }
    const auto directories = paths::directories(line.value("--state-dir").value_or(""), "");
    const std::string state = paths::coordinator_state(directories);
    const auto kept = read_cluster_secret(state);
    if (!kept) {
        return fail_with(line, kept.error());
    }
    const ClusterKeys keys{
        .coordinator = random_key_pair(),
        .secret = kept->value_or(ClusterSecret{net::random_id<ClusterId>(), random_secret()}),
        .first_admin = {}};
    Context admin{.name = name,
                  .coordinator = *coordinator,
                  .keys = {keys.coordinator.open, random_key_pair()}};
    ClusterKeys with_admin = keys;
    with_admin.first_admin = admin.keys.own.open;
    const auto made = check_free(contexts, name)
                          .and_then([&] { return paths::make_private_directory(state); })
                          .and_then([&] { return write_cluster_keys(state, with_admin); })
                          .and_then([&] { return contexts.add(admin); })
                          .and_then([&] { return contexts.use(name); });
    if (!made) {
        Error error = made.error();
        if (error.code == Errc::exists && error.detail.starts_with(state)) {
            error.detail += ": this cluster has its keys; remove them only to begin a new cluster";
        }
        return fail_with(line, error);
    }
    const std::string print = fingerprint(keys.coordinator.open);
    if (line.wants_json()) {
        return deliver(fmt::format(
            "{{\"cluster\":\"{}\",\"key\":\"{}\",\"fingerprint\":\"{}\",\"context\":\"{}\"}}\n",
            to_string(keys.secret.cluster), to_string(keys.coordinator.open), print, name));
    }
    return deliver(fmt::format(
        "cluster      {}\ncoordinator  key {}\n             in {}\nadmin        key {}\n"
        "             in {}, the context '{}'\n\n"
        "Start the coordinator; then 'muster token create --node NAME' lets a host join.\n",
        to_string(keys.secret.cluster), print, state, fingerprint(admin.keys.own.open),
        contexts.path_of(name), name));
}

ExitCode run_context_add(const CommandLine& line) {
    const Contexts contexts = Contexts::of_user();
    const std::string& name = line.arguments[0];
    const auto coordinator = coordinator_of(line);
    const auto server = parse_public_key(line.value("--coordinator-key").value_or(""));
    if (!coordinator) {
        return fail_with(line, coordinator.error());
    }
    if (!server) {
        show_error({Errc::invalid,
                    "--coordinator-key is the coordinator's public key, 64 hexadecimal digits; "
                    "'muster token list -o json' shows it"},
                   line.wants_json());
        return ExitCode::usage;
    }
    const Context context{
        .name = name, .coordinator = *coordinator, .keys = {*server, random_key_pair()}};
    const auto added =
        check_free(contexts, name).and_then([&] { return contexts.add(context); }).and_then([&] {
            return contexts.current().empty() ? contexts.use(name) : Result<void>{};
        });
    if (!added) {
        return fail_with(line, added.error());
    }
    const std::string key = to_string(context.keys.own.open);
    if (line.wants_json()) {
        return deliver(fmt::format("{{\"context\":\"{}\",\"key\":\"{}\"}}\n", name, key));
    }
    return deliver(
        fmt::format("The key of this context must be admitted by an admin, under a name and with a "
                    "role:\n  muster key add NAME observer|operator|admin {}\n",
                    key));
}

ExitCode run_context_use(const CommandLine& line) {
    const auto used = Contexts::of_user().use(line.arguments[0]);
    if (!used) {
        return fail_with(line, used.error());
    }
    return ExitCode::ok;
}

ExitCode run_context_list(const CommandLine& line) {
    const Contexts contexts = Contexts::of_user();
    const std::string current = contexts.current();
    Table table{{"CURRENT", "NAME", "COORDINATOR", "KEY"}};
    std::string json;
    for (const std::string& name : contexts.names()) {
        const auto context = contexts.read(name);
        if (!context) {
            return fail_with(line, context.error());
        }
        const std::string print = fingerprint(context->keys.own.open);
        table.add({name == current ? "*" : "", name, context->coordinator, print});
        json += fmt::format(
            "{}{{\"name\":\"{}\",\"coordinator\":\"{}\",\"fingerprint\":\"{}\",\"current\":{}}}",
            json.empty() ? "" : ",", name, context->coordinator, print, name == current);
    }
    if (line.wants_json()) {
        return deliver("{\"contexts\":[" + json + "]}\n");
    }
    const Terminal terminal = detect_terminal();
    return deliver(contexts.names().empty()
                       ? "no contexts\n"
                       : table.to_text({.colours = terminal.colours, .columns = terminal.columns}));
}

ExitCode run_signer_create(const CommandLine& line) {
    const std::string& path = line.arguments[0];
    const KeyPair signer = random_signer();
    if (const auto written = write_signer_file(path, signer); !written) {
        return fail_with(line, written.error());
    }
    const std::string key = to_string(signer.open);
    if (line.wants_json()) {
        return deliver(fmt::format("{{\"key\":\"{}\"}}\n", key));
    }
    return deliver(
        fmt::format("Hosts start what it signs once their policy has the line\n  signers = "
                    "[\"{}\"]\n'muster apply --sign {} -f TASKS' signs.\n",
                    key, path));
}

}  // namespace muster::cli
