#include "common/config/spec_toml.hpp"

#include <array>
#include <string>

#include "common/base/limits.hpp"
#include "common/config/task_toml.hpp"
#include "common/config/toml_fields.hpp"

namespace muster {

namespace {

constexpr std::array<std::string_view, 1> file_keys{"task"};

}  // namespace

Result<std::vector<WantedTask>> tasks_from_toml(std::string_view text, std::string_view file) {
    if (text.size() > limits::upload_bytes) {
        return fail(Errc::too_large, std::string{file} + ": the file has " +
                                         std::to_string(text.size()) + " bytes; at most " +
                                         std::to_string(limits::upload_bytes) + " are allowed");
    }
    TomlFields fields{file};
    try {
        const toml::table root = toml::parse(text);
        fields.known_keys(root, file_keys, "the file");
        auto tasks = read_tasks(fields, root.get("task"));
        if (!fields.fault()) {
            return tasks;
        }
    } catch (const toml::parse_error& error) {
        fields.fail_at(error.source(), "this is not TOML: " + std::string{error.description()});
    }
    return tl::unexpected{*fields.fault()};
}

}  // namespace muster
