#include "cli/contexts/contexts.hpp"

#include <algorithm>
#include <unistd.h>

#include "common/base/ids.hpp"
#include "common/base/paths.hpp"
#include "common/base/read_file.hpp"
#include "common/crypto/key_file.hpp"
#include "common/net/endpoint.hpp"

namespace muster::cli {

namespace {

Result<Context> read_file_of(const std::string& name, const std::string& path) {
    if (!is_valid_name(name)) {
        return fail(Errc::invalid,
                    in_quotes(name) + " is no name of a context: " + std::string{name_rule()});
    }
    const auto text = read_secret_file(path);
    if (!text && text.error().code == Errc::not_found) {
        return fail(Errc::not_found,
                    "there is no context " + in_quotes(name) + "; 'muster context list' shows all");
    }
    if (!text) {
        return tl::unexpected{text.error()};
    }
    const auto own = read_key(*text, path);
    if (!own) {
        return tl::unexpected{own.error()};
    }
    const auto server = parse_public_key(value_in(*text, "coordinator_key").value_or(""));
    const auto endpoint = net::endpoints_to_connect(value_in(*text, "coordinator").value_or(""));
    if (!server || !endpoint) {
        return fail(Errc::invalid, path +
                                       " is not whole: it needs a line coordinator = \"ENDPOINT\" "
                                       "and a line coordinator_key = \"KEY\"; remove the file, and "
                                       "add the context again");
    }
    return Context{.name = name, .coordinator = *endpoint, .keys = {*server, *own}};
}

Result<void> write_file(const Context& context, const std::string& path) {
    return write_secret_file(path,
                             "# Access to a cluster of muster, with the key of its operator.\n"
                             "coordinator = \"" +
                                 context.coordinator + "\"\ncoordinator_key = \"" +
                                 to_string(context.keys.server) + "\"\n" +
                                 key_lines(context.keys.own));
}

}  // namespace

Contexts Contexts::of_user() {
    const std::string configured = paths::variable("XDG_CONFIG_HOME");
    const std::string home = paths::variable("HOME");
    const std::string base =
        configured.starts_with('/') ? configured : (home.empty() ? "/root" : home) + "/.config";
    return Contexts{base + "/muster"};
}

std::string Contexts::path_of(const std::string& name) const {
    return directory_ + "/contexts/" + name;
}

Result<Context> Contexts::read(const std::string& name) const {
    return read_file_of(name, path_of(name));
}

Result<Context> Contexts::read_new(const std::string& name) const {
    return read_file_of(name, new_path_of(name));
}

Result<void> Contexts::add(const Context& context) const {
    return paths::make_private_directory(directory_ + "/contexts").and_then([&] {
        return write_file(context, path_of(context.name));
    });
}

Result<void> Contexts::write_new(const Context& context) const {
    return paths::make_private_directory(directory_ + "/new").and_then([&] {
        unlink(new_path_of(context.name).c_str());  // It is not whole, so it was never sent.
        return write_file(context, new_path_of(context.name));
    });
}

Result<void> Contexts::keep_new(const std::string& name) const {
    return replace_file(new_path_of(name), path_of(name));
}

Result<void> Contexts::use(const std::string& name) const {
    return read(name).and_then([&](const Context&) -> Result<void> {
        const std::string path = directory_ + "/current";
        const std::string fresh = path + ".new";
        unlink(fresh.c_str());
        return write_secret_file(fresh, name + '\n').and_then([&] {
            return replace_file(fresh, path);
        });
    });
}

std::vector<std::string> Contexts::names() const {
    auto names = names_in(directory_ + "/contexts");
    std::erase_if(names, [](const std::string& name) { return !is_valid_name(name); });
    std::ranges::sort(names);
    return names;
}

std::string Contexts::current() const {
    const auto text = read_file(directory_ + "/current", 256);
    return text ? text->substr(0, text->find('\n')) : std::string{};
}

}  // namespace muster::cli
