#include "common/log/daemon_main.hpp"

#include <cstdio>
#include <sstream>

#include <CLI/CLI.hpp>

#include "common/base/limits.hpp"
#include "common/base/read_file.hpp"

namespace muster::daemon_main {

std::optional<int> read_command_line(int argc, const char* const* argv, const Program& program,
                                     std::initializer_list<Option> options) {
    CLI::App app{program.summary, program.name};
    app.set_version_flag("--version", std::string{program.name} + ' ' + program.version);
    for (const Option& option : options) {
        if (option.flag != nullptr) {
            app.add_flag(option.name, *option.flag, option.summary);
        } else {
            app.add_option(option.name, *option.into, option.summary);
        }
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        return end_with(exit_usage, program.name,
                        std::string{error.what()} + "; --help lists the options");
    }
    for (const Option& option : options) {
        if (option.flag == nullptr && app.count(option.name) > 0 && option.into->empty()) {
            return end_with(exit_usage, program.name,
                            std::string{option.name} + " is empty; give a value, or leave it out");
        }
    }
    return std::nullopt;
}

Result<std::string> configuration(const std::string& path) {
    if (path.empty()) {
        return std::string{};
    }
    auto text = read_file(path, limits::configuration_bytes);
    if (!text) {
        text.error().detail = "configuration " + text.error().detail;
    }
    return text;
}

void override_with(const std::string& given, std::string& option) {
    if (!given.empty()) {
        option = given;
    }
}

Result<void> override_with(const std::string& given, log::Level& level) {
    if (given.empty()) {
        return {};
    }
    return log::parse_level(given).map([&](log::Level parsed) { level = parsed; });
}

int end_with(int status, std::string_view program, std::string sentence) {
    std::replace_if(
        sentence.begin(), sentence.end(),
        [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; },
        '?');
    std::istringstream lines{sentence};  // A file's errors have one line each.
    for (std::string line; std::getline(lines, line);) {
        std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(program.size()), program.data(),
                     line.c_str());
    }
    return status;
}

}  // namespace muster::daemon_main
