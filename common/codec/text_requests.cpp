#include <optional>
#include <span>
#include <string>

#include "common/base/number.hpp"
#include "common/codec/codec.hpp"
#include "common/codec/fields/operator.hpp"
#include "common/codec/shapes/printed_text.hpp"
#include "common/codec/verb_table.hpp"
#include "common/spec/duration.hpp"

namespace muster::codec {

namespace {

using Words = std::span<const std::string_view>;

template <class N>
bool read_number(std::string_view word, N& into) {
    const auto number = number_in<N>(word);
    into = number.value_or(into);
    return number.has_value();
}

/// Puts words into the first fields of a request, in the order of all other forms.
struct WordReader {
    Words left;
    bool fits = true;

    void operator()(std::string_view name, auto& into, Rule /*rule*/) {
        if (!left.empty()) {
            fits = fits && read_word(name, left.front(), into);
            left = left.subspan(1);
        }
    }

private:
    static bool read_word(std::string_view /*name*/, std::string_view word, std::string& into) {
        into = word;
        return true;
    }
    template <Unsigned N>
    static bool read_word(std::string_view name, std::string_view word, N& into) {
        if (!name.ends_with("_ms")) {
            return read_number(word, into);
        }
        const auto duration = parse_duration(word);
        into = duration ? static_cast<N>(to_ms(*duration)) : N{};
        return duration && to_ms(*duration) == static_cast<std::int64_t>(into);
    }
    template <Named E>
    static bool read_word(std::string_view /*name*/, std::string_view word, E& into) {
        return enum_from(word, into);
    }
    /// No word can be the value of a field of any other kind.
    static bool read_word(std::string_view, std::string_view, auto&) { return false; }
};

template <class T>
bool read_in_order(Words words, T& request) {
    WordReader reader{words};
    codec::fields(reader, request);  // Qualified: a unity build has other fields() beside it.
    return reader.fits;
}

// Each read() takes the words after the verb, as many as its usage allows. False: they do not fit.
// Most verbs have their words in the order of their fields. A reason and an author need a real
// message.

template <class T>
bool read(Words words, T& request) {
    return read_in_order(words, request);
}

bool read(Words words, WaitRequest& request) {
    return read_in_order(words, request) && request.timeout_ms <= to_ms(limits::wait_max);
}

bool read(Words words, NodeAddRequest& request) {
    for (const std::string_view word : words) {
        request.nodes.push_back({.name = std::string{word}});
    }
    return true;
}

bool read(Words words, LimitSetRequest& request) {
    request.name = words[0];
    return words[1] == "none" || read_number(words[1], request.value.emplace());
}

bool read(Words words, TaskAddRequest& request) {
    request.task.name = words[0];
    request.task.spec.argv.assign(words.begin() + 2, words.end());
    return read_number(words[1], request.task.instances);
}

bool read(Words words, DemandSetRequest& request) {
    request.reporter = words[1];
    request.needs.push_back({.pool = std::string{words[0]}});
    return read_number(words[2], request.needs.front().amount);
}

bool read(Words words, AuditShowRequest& request) {
    return (words.empty() || read_number(words[0], request.since.emplace())) &&
           (words.size() < 2 || read_number(words[1], request.limit));
}

bool read(Words words, LogsRequest& request) {
    request.instance = words[0];
    return words.size() == 1 || enum_from(words[1], request.stream);
}

template <class Request>
bool read_dry_run(Words words, Request& request) {
    request.dry_run = words.size() == 1 && words[0] == "dry-run";
    return words.empty() || request.dry_run;
}

bool read(Words words, StoreAcceptRequest& request) { return read_dry_run(words, request); }

bool read(Words words, UpgradeFinishRequest& request) { return read_dry_run(words, request); }

bool read(Words words, ExplainRequest& request) {
    request.name = words.back();
    return words.size() == 1 || enum_from(words[0], request.subject);
}

bool read(Words words, PlanRequest& request) {
    while (!words.empty()) {
        const auto what = words.front();
        words = words.subspan(1);
        if (what == "rebalance") {
            request.rebalance = true;
            continue;
        }
        if (words.empty()) {
            return false;
        }
        if (what == "fail") {
            request.fail.emplace_back(words.front());
        } else if (what == "without") {
            request.without_tasks.emplace_back(words.front());
        } else if (what != "add" || !read_number(words.front(), request.add_nodes)) {
            return false;
        }
        words = words.subspan(1);
    }
    return true;
}

/// A typed request has the bounds of a sent one, so the bounds exist once.
Result<Request> within_bounds(const Request& request) {
    std::string frame;
    encode(request, frame);
    return decode_request(frame);
}

}  // namespace

std::optional<Result<Request>> request_from_words(std::string_view verb, Words words) {
    std::optional<Result<Request>> result;
    (void)Alternatives<RequestBody::Base>::with_tag(verb, [&]<class T>() {
        constexpr const Verb& row = verb_row<T>();
        constexpr WordCount count = count_words(row.usage);
        T body;
        // A request that needs JSON, such as a task with a spec of its own, does not fit a line.
        if (!row.is_json() && words.size() >= count.least && words.size() <= count.most &&
            read(words, body)) {
            result = within_bounds({{}, std::move(body)});
        } else {
            result = fail(Errc::invalid, "wrong arguments; usage: " + usage_of(row));
        }
    });
    return result;
}

Result<Request> request_from_text(std::string_view line) {
    if (line.size() > limits::operator_message_bytes) {
        return fail(Errc::too_large, "the line is longer than " +
                                         std::to_string(limits::operator_message_bytes) + " bytes");
    }
    const auto words = words_of(line);
    if (words.empty()) {
        return fail(Errc::malformed, "the request is empty; try 'help'");
    }
    const std::string first{words[0]};
    const std::string two = words.size() < 2 ? first : first + ' ' + std::string{words[1]};
    const auto behind = [&](std::size_t count) { return Words{words}.subspan(count); };
    if (words.size() >= 2) {
        if (auto result = request_from_words(two, behind(2))) {
            return *result;
        }
    }
    if (auto result = request_from_words(first, behind(1))) {
        return *result;
    }
    return unknown_verb(two);
}

}  // namespace muster::codec
