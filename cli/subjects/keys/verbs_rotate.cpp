#include <string>
#include <utility>

#include "cli/contexts/contexts.hpp"
#include "cli/subjects/verbs.hpp"
#include "common/crypto/random_key.hpp"

namespace muster::cli {

// The new key is on disk before the coordinator has it. It takes the place of the present one once
// the coordinator has answered to it, which retires the present one. After an end in between one of
// the two is admitted, and the same command goes on.
ExitCode run_rotate(Console& console) {
    const Contexts contexts = Contexts::of_user();
    const std::string name = console.settings().context;
    if (!console.settings().keys) {
        return console.fail_with({Errc::refused,
                                  "no key is in use, so there is none to replace: give --context "
                                  "NAME, or the name of an agent"});
    }
    auto fresh = contexts.read_new(name);
    const bool is_begun = fresh.has_value();
    if (!is_begun) {
        fresh = contexts.read(name).and_then([&](Context context) -> Result<Context> {
            context.keys.own = random_key_pair();
            return contexts.write_new(context).map([&] { return context; });
        });
    }
    if (!fresh) {
        return console.fail_with(fresh.error());
    }
    const KeyRenewRequest request{.key = to_string(fresh->keys.own.open)};
    const auto registered = console.ask(request);
    if (!registered && !(is_begun && registered.error().code == Errc::denied)) {
        return console.fail_with(registered.error());
    }
    Settings with_new_key = console.settings();
    with_new_key.keys->own = fresh->keys.own;
    Console second{std::move(with_new_key)};
    const auto retired = second.ask(request);
    if (!retired) {
        return second.fail_with(retired.error());
    }
    const auto kept = contexts.keep_new(name);
    return kept ? second.show(*retired) : second.fail_with(kept.error());
}

}  // namespace muster::cli
