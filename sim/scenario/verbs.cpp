#include "sim/scenario/verbs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/base/names.hpp"
#include "common/base/number.hpp"
#include "common/spec/constraint.hpp"
#include "common/text/pattern.hpp"
#include "common/text/suggestions.hpp"

namespace muster::sim {

/// The arguments of a verb.
enum class Takes : std::uint8_t { nothing, nodes, node_count, task, task_count, on_or_off };

/// How a verb is written, and its effect on hosts.
struct Form {
    std::string_view word;
    Verb verb;
    Takes takes;
    std::string_view example;
    std::span<const std::string_view> keys{};
    /// The required state of each named node, or of the coordinator if none is named.
    HostState needs = HostState::any;
    HostState leaves = HostState::any;  ///< `any`: unchanged.
};

namespace {

constexpr std::array<std::string_view, 1> restart_keys{"down"};
constexpr std::array<std::string_view, 2> flap_keys{"times", "period"};
constexpr std::array<std::string_view, 1> slow_keys{"by"};
constexpr std::array<std::string_view, 5> join_keys{"name", "pool", "labels", "capacity",
                                                    "reserved"};
constexpr std::array<std::string_view, 1> drain_keys{"force"};
constexpr std::array<std::string_view, 2> apply_keys{"task", "tasks"};

constexpr std::span<const std::string_view> no_keys{};
using State = HostState;

constexpr std::array forms{
    Form{"crash", Verb::crash, Takes::nodes, "crash n3", no_keys, State::on, State::off},
    Form{"boot", Verb::boot, Takes::nodes, "boot n3", no_keys, State::off, State::up},
    Form{"restart", Verb::restart, Takes::nodes, "restart n3, or restart n3 empty", restart_keys,
         State::any, State::up},
    Form{"stop", Verb::stop, Takes::nodes, "stop n3", no_keys, State::up, State::without_agent},
    Form{"leave", Verb::leave, Takes::nodes, "leave n3", no_keys, State::up, State::without_agent},
    Form{"crash-agent", Verb::crash_agent, Takes::nodes, "crash-agent n3", no_keys, State::up,
         State::without_agent},
    Form{"start-agent", Verb::start_agent, Takes::nodes, "start-agent n3", no_keys,
         State::without_agent, State::up},
    Form{"pause", Verb::pause, Takes::nodes, "pause n3", no_keys, State::up, State::paused},
    Form{"resume", Verb::resume, Takes::nodes, "resume n3", no_keys, State::paused, State::up},
    Form{"partition", Verb::partition, Takes::nodes, "partition rack=r1"},
    Form{"cut-inbound", Verb::cut_inbound, Takes::nodes, "cut-inbound n3"},
    Form{"cut-outbound", Verb::cut_outbound, Takes::nodes, "cut-outbound n3"},
    Form{"flap", Verb::flap, Takes::nodes, "flap n3", flap_keys},
    Form{"slow", Verb::slow, Takes::nodes, "slow n3", slow_keys},
    Form{"heal", Verb::heal, Takes::nodes, "heal rack=r1, or heal all"},
    Form{"join", Verb::join, Takes::node_count, "join 10", join_keys},
    Form{"drain", Verb::drain, Takes::nodes, "drain n3", drain_keys},
    Form{"offline", Verb::offline, Takes::nodes, "offline n3"},
    Form{"online", Verb::online, Takes::nodes, "online n3"},
    Form{"apply", Verb::apply, Takes::nothing, "apply", apply_keys},
    Form{"scale", Verb::scale, Takes::task_count, "scale web 40"},
    Form{"restart-task", Verb::restart_task, Takes::task, "restart-task web"},
    Form{"remove", Verb::remove, Takes::task, "remove web"},
    Form{"freeze", Verb::freeze_on, Takes::on_or_off, "freeze on, or freeze off"},
    Form{"crash-coordinator", Verb::crash_coordinator, Takes::nothing, "crash-coordinator", no_keys,
         State::on, State::off},
    Form{"restart-coordinator", Verb::restart_coordinator, Takes::nothing, "restart-coordinator",
         no_keys, State::any, State::up},
    Form{"pause-coordinator", Verb::pause_coordinator, Takes::nothing, "pause-coordinator", no_keys,
         State::up, State::paused},
    Form{"resume-coordinator", Verb::resume_coordinator, Takes::nothing, "resume-coordinator",
         no_keys, State::paused, State::up},
};

constexpr std::string_view every_node = "all";
constexpr std::string_view empty_disk = "empty";

std::string_view word_of(HostState state) {
    constexpr auto words = name_list("any", "on", "up", "without an agent", "paused", "off");
    return words.at(static_cast<std::size_t>(state));
}

std::vector<std::string_view> words_of(std::string_view sentence) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < sentence.size();) {
        const std::size_t end = std::min(sentence.find(' ', at), sentence.size());
        if (end > at) {
            words.push_back(sentence.substr(at, end - at));
        }
        at = end + 1;
    }
    return words;
}

std::string quoted(std::string_view word) {
    return fmt::format("'{}'", word.substr(0, limits::name_bytes));
}

/// The error for an unknown word, with similar known ones.
tl::unexpected<Error> unknown(std::string_view what, std::string_view word,
                              std::span<const std::string_view> known, std::string_view all) {
    const auto near = suggestions(word, known);
    return fail(Errc::invalid, fmt::format("there is no {} {}; {}", what, quoted(word),
                                           near.empty() ? fmt::format("{}", all)
                                                        : fmt::format("perhaps '{}'", near[0])));
}

Result<Form> form_of(std::string_view word) {
    const auto found = std::ranges::find(forms, word, &Form::word);
    if (found != forms.end()) {
        return *found;
    }
    std::vector<std::string_view> words;
    std::ranges::transform(forms, std::back_inserter(words), &Form::word);
    return unknown("verb", word, words, fmt::format("the verbs are {}", fmt::join(words, ", ")));
}

Result<void> read_number(std::string_view word, std::uint32_t least, std::size_t most,
                         std::uint32_t& into) {
    const auto number = number_in<std::uint32_t>(word);
    if (!number || *number < least || *number > most) {
        return fail(Errc::invalid, fmt::format("{} is not a whole number from {} to {}",
                                               quoted(word), least, most));
    }
    into = *number;
    return {};
}

}  // namespace

std::span<const std::string_view> keys_of(Verb verb) {
    const auto found = std::ranges::find(forms, verb, &Form::verb);
    return found == forms.end() ? std::span<const std::string_view>{} : found->keys;
}

std::string_view verb_with_key(std::string_view key) {
    const auto found = std::ranges::find_if(forms, [&](const Form& form) {
        return std::ranges::find(form.keys, key) != form.keys.end();
    });
    return found == forms.end() ? std::string_view{} : found->word;
}

void Fleet::add(const std::string& name, const Labels& labels) {
    hosts_.emplace(name, Host{labels});
    order_.push_back(name);
}

Result<void> Fleet::read_words(const Form& form, std::span<const std::string_view> words,
                               ScenarioAction& into) {
    const auto wrong = fail(Errc::invalid, fmt::format("write {}", form.example));
    switch (form.takes) {
        case Takes::nothing: return words.empty() ? Result<void>{} : wrong;
        case Takes::nodes:
            into.empty =
                into.verb == Verb::restart && words.size() > 1 && words.back() == empty_disk;
            words = words.first(words.size() - (into.empty ? 1 : 0));
            if (into.verb == Verb::heal && words.size() == 1 && words[0] == every_node) {
                into.verb = Verb::heal_all;
                return {};
            }
            return words.empty() ? wrong : read_nodes(words, into);
        case Takes::node_count:
            return words.size() != 1 ? wrong
                                     : read_number(words[0], 1, limits::joiners, into.count);
        case Takes::on_or_off:
            if (words.size() != 1 || (words[0] != "on" && words[0] != "off")) {
                return wrong;
            }
            into.verb = words[0] == "on" ? Verb::freeze_on : Verb::freeze_off;
            return {};
        case Takes::task: return words.size() != 1 ? wrong : read_task(words[0], into);
        case Takes::task_count:
            return words.size() != 2 ? wrong : read_task(words[0], into).and_then([&] {
                return read_number(words[1], 0, limits::instances_per_task, into.count);
            });
    }
    ensure(false, "every verb is read");
    return {};
}

Result<ScenarioAction> Fleet::read(std::string_view sentence) {
    const auto words = words_of(sentence);
    const auto form = form_of(words.empty() ? std::string_view{} : words.front());
    if (!form) {
        return tl::unexpected{form.error()};
    }
    ScenarioAction action{.verb = form->verb, .text = fmt::format("{}", fmt::join(words, " "))};
    auto read = read_words(*form, std::span{words}.subspan(1), action);
    if (action.verb == Verb::heal_all) {
        coordinator_ = HostState::up;
        for (auto& [name, host] : hosts_) {
            host.state = HostState::up;
        }
    }
    const auto change = [&](std::string_view name, HostState& state) {
        const bool may = form->needs == HostState::any || form->needs == state ||
                         (form->needs == HostState::on && state != HostState::off);
        if (!may && read) {
            read = fail(Errc::invalid, fmt::format("{} is {}; it has to be {}", name,
                                                   word_of(state), word_of(form->needs)));
        }
        state = form->leaves == HostState::any ? state : form->leaves;
    };
    for (const std::string& name : action.nodes) {
        change(name, hosts_.find(name)->second.state);
    }
    if (form->takes == Takes::nothing) {
        change("the coordinator", coordinator_);
    }
    return read.map([&] { return std::move(action); });
}

Result<void> Fleet::read_nodes(std::span<const std::string_view> words, ScenarioAction& into) {
    std::set<std::string> chosen;
    for (const std::string_view word : words) {
        if (auto read = select(word, chosen); !read) {
            return read;
        }
    }
    std::ranges::copy_if(order_, std::back_inserter(into.nodes),
                         [&](const std::string& name) { return chosen.contains(name); });
    return {};
}

Result<void> Fleet::select(std::string_view word, std::set<std::string>& into) const {
    const auto equals = word.find('=');
    const bool by_name = equals == std::string_view::npos || word.substr(0, equals) == node_key;
    const auto wanted =
        by_name && equals == std::string_view::npos ? word : word.substr(equals + 1);
    const std::string_view pattern = by_name && wanted == every_node ? "*" : wanted;
    if (const auto sound = pattern::check(pattern); !sound && !is_valid_label_value(pattern)) {
        return tl::unexpected{sound.error()};
    }
    const std::string key{by_name ? node_key : word.substr(0, equals)};
    bool found = false;
    for (const auto& [name, host] : hosts_) {
        const auto label = host.labels.find(key);
        const bool matches =
            by_name ? pattern::matches(pattern, name)
                    : label != host.labels.end() &&
                          (label->second == pattern || pattern::matches(pattern, label->second));
        if (matches) {
            into.insert(name);
            found = true;
        }
    }
    if (found) {
        return {};
    }
    if (!by_name) {
        return tl::unexpected{unknown_label(key, pattern)};
    }
    const std::vector<std::string_view> names{order_.begin(), order_.end()};
    return unknown("node", pattern, names,
                   names.empty() ? "there are none"
                                 : fmt::format("they are {} to {}", names.front(), names.back()));
}

Error Fleet::unknown_label(std::string_view key, std::string_view pattern) const {
    std::set<std::string_view> keys;
    std::set<std::string_view> values;
    for (const auto& [name, host] : hosts_) {
        for (const auto& [label, value] : host.labels) {
            keys.insert(label);
            if (label == key) {
                values.insert(value);
            }
        }
    }
    if (!values.empty()) {
        return {Errc::invalid, fmt::format("no node has {}={}; {} is {}", key, pattern, key,
                                           fmt::join(values, ", "))};
    }
    const std::vector<std::string_view> known{keys.begin(), keys.end()};
    return unknown("label", key, known,
                   known.empty() ? "no node has labels"
                                 : fmt::format("the labels are {}", fmt::join(known, ", ")))
        .value();
}

Result<void> Fleet::read_task(std::string_view word, ScenarioAction& into) {
    into.task = word;
    if (!tasks_.contains(into.task)) {
        const std::vector<std::string_view> known{tasks_.begin(), tasks_.end()};
        return unknown("task", word, known,
                       known.empty() ? "there are none"
                                     : fmt::format("the tasks are {}", fmt::join(known, ", ")));
    }
    if (into.verb == Verb::remove) {
        tasks_.erase(into.task);
    }
    return {};
}

}  // namespace muster::sim
