#include "agent/exec/launch/found.hpp"

#include <string_view>
#include <tuple>
#include <utility>

namespace muster::agent {

namespace {

tl::expected<Command, LaunchFailure> command_of(std::string_view field,
                                                const std::vector<std::string>& argv,
                                                const std::string& directory,
                                                const Environment& environment,
                                                const TemplateValues& values) {
    Command command;
    for (const auto& word : argv) {
        auto filled = filled_in(field, word, values);
        if (!filled) {
            return NoLaunch{filled.error()};
        }
        command.words.push_back(std::move(*filled));
    }
    auto program = find_program(command.words.front(), environment.at("PATH"));
    if (!program) {
        return NoLaunch{program.error()};
    }
    command.program = program->starts_with('/') ? *program : directory + '/' + *program;
    return command;
}

tl::expected<std::string, LaunchFailure> directory_of(const Spawn& spawn, const ProcessPlace& place,
                                                      const TemplateValues& values) {
    if (spawn.spec.workdir.empty()) {
        return place.work;
    }
    const auto filled = filled_in("workdir", spawn.spec.workdir, values);
    if (!filled) {
        return NoLaunch{filled.error()};
    }
    if (!filled->starts_with('/')) {
        return NoLaunch{permanent("the working directory " + *filled +
                                  " does not begin with /: it is '" + spawn.spec.workdir +
                                  "' with this node's values")};
    }
    return check_directory(*filled);
}

}  // namespace

tl::expected<Found, LaunchFailure> find_all(const Spawn& spawn, const ProcessPlace& place) {
    const TaskSpec& spec = spawn.spec;
    const TemplateValues values = template_values(spawn, place);
    std::vector<std::string> env_files;
    auto environment = environment_of(spawn, place, values, env_files);
    auto directory = directory_of(spawn, place, values);
    if (!environment || !directory) {
        return NoLaunch{environment ? directory.error() : environment.error()};
    }
    Found found{std::move(*directory), std::move(*environment), std::move(env_files), {}, {}, {}};
    const auto find = [&](std::string_view field, const std::vector<std::string>& argv) {
        return command_of(field, argv, found.directory, found.environment, values);
    };
    auto program = find("argv", spec.argv);
    if (!program) {
        return NoLaunch{program.error()};
    }
    found.program = std::move(*program);
    for (const auto& [field, argv, into] :
         {std::tuple{"pre_start", &spec.pre_start, &found.pre_start},
          std::tuple{"post_stop", &spec.post_stop, &found.post_stop}}) {
        if (argv->empty()) {
            continue;
        }
        auto hook = find(field, *argv);
        if (!hook) {
            hook.error().detail = std::string{"its "} + field + ": " + hook.error().detail;
            return NoLaunch{hook.error()};
        }
        *into = std::move(*hook);
    }
    return found;
}

}  // namespace muster::agent
