#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "cli/screen/terminal.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "cli/subjects/verbs.hpp"
#include "common/base/number.hpp"
#include "common/codec/codec.hpp"
#include "common/net/endpoint.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/name_lookup.hpp"
#include "common/net/loop.hpp"
#include "common/net/publisher.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

// After this much silence the coordinator is asked, because the last event before it may be lost.
constexpr Duration silence = 3s;

/// All kept events after `since`, over as many answers as needed.
Result<EventsReply> kept_events(Console& console, EventsRequest request) {
    EventsReply all;
    while (true) {
        auto reply = console.ask(request);
        if (!reply) {
            return tl::unexpected(reply.error());
        }
        auto* const page = std::get_if<EventsReply>(&*reply);
        if (page == nullptr) {
            return fail(Errc::malformed, "the coordinator answered 'events' with something else");
        }
        if (!all.events.empty() && page->epoch != all.epoch) {
            all.events.clear();  // Another leadership counts from 1.
            request.since = 0;
            continue;
        }
        if (all.events.empty()) {
            all.epoch = page->epoch;
            all.first_kept = page->first_kept;
            all.published_at = page->published_at;
        }
        if (page->events.empty()) {
            return all;
        }
        request.since = page->events.back().sequence;
        std::move(page->events.begin(), page->events.end(), std::back_inserter(all.events));
    }
}

/// Shows each event once and in order, published or requested.
class Follower {
public:
    Follower(Console& console, std::string endpoint, Epoch epoch, std::uint64_t last)
        : console_{console},
          endpoint_{std::move(endpoint)},
          lines_{console.settings().style()},
          epoch_{epoch},
          last_{last} {}

    /// False: output failed, and the error was printed.
    bool on_event(const Event& event) {
        unpublished_ = 0;
        if (event.epoch != epoch_) {
            epoch_ = event.epoch;  // Another leadership counts from 1.
            last_ = 0;
        }
        if (event.sequence <= last_) {
            return true;
        }
        return event.sequence == last_ + 1 ? show(event) : catch_up();
    }

    /// Requests the events missed in a long silence. If there are some again and again, but none
    /// was published, then nobody publishes at this endpoint.
    bool break_silence() {
        const auto before = std::pair{epoch_, last_};
        const bool written = catch_up();
        unpublished_ += std::pair{epoch_, last_} == before ? 0 : 1;
        if (unpublished_ == 2 && !std::exchange(doubted_, true)) {
            print_error(
                fmt::format("muster: no event arrives from {}, so muster asks the coordinator "
                            "every {}; --events sets the endpoint that publishes events\n",
                            endpoint_, to_string(silence)));
        }
        return written;
    }

    /// The same, but shows no event from before `from`.
    bool catch_up(CivilMs from) {
        from_ = from;
        return catch_up();
    }
    /// Requests missed events.
    bool catch_up() {
        const auto kept = kept_events(console_, {.since = last_});
        if (!kept) {
            print_error_once(last_error_, kept.error().detail);
            return true;
        }
        last_error_.clear();
        if (kept->epoch != epoch_) {
            epoch_ = kept->epoch;
            last_ = 0;
            return catch_up();
        }
        return std::all_of(kept->events.begin(), kept->events.end(), [this](const Event& event) {
            return event.sequence <= last_ || show(event);
        });
    }

private:
    bool show(const Event& event) {
        last_ = event.sequence;
        if (event.at < from_) {
            return true;
        }
        if (console_.settings().json) {
            return deliver(codec::to_json(event) + '\n') == ExitCode::ok;
        }
        // A closed round is shown only if it differs from the one before.
        if (event.topic == "round.closed" &&
            std::exchange(round_shown_, event.detail) == event.detail) {
            return true;
        }
        return deliver(lines_.text_of(event)) == ExitCode::ok;
    }

    Console& console_;
    std::string endpoint_;
    EventLines lines_;
    Epoch epoch_;
    std::uint64_t last_;
    CivilMs from_{};
    std::string last_error_;
    std::string round_shown_;
    int unpublished_ = 0;  // Silences in a row in which the coordinator had events.
    bool doubted_ = false;
};

/// The time of --since; nothing if it is missing, or is the number of an event.
std::optional<CivilMs> since_moment(const CommandLine& line) {
    const std::string text = line.value("--since").value_or("0");
    if (number_in<std::uint64_t>(text)) {
        return std::nullopt;
    }
    const auto moment = parse_since(text, net::civil_now());
    return moment ? std::optional{*moment} : std::nullopt;
}

/// Runs until output fails or a signal ends the program.
ExitCode follow(Console& console, const CommandLine& line, EventsRequest request) {
    const auto from = since_moment(line);
    const auto kept = kept_events(console, {.since = 0});
    if (!kept) {
        return console.fail_with(kept.error());
    }
    const auto& given = console.settings().events;
    const std::string& endpoint = given.empty() ? kept->published_at : given;
    net::Subscriber subscriber{console.context(), console.settings().keys};
    constexpr Duration lookup_patience = 2s;
    net::AddressLookup lookup{net::endpoints_in(endpoint)};
    for (const std::string& one : lookup.take_within(lookup_patience)) {
        // Only a leader publishes.
        if (auto connected = subscriber.connect(one); !connected) {
            return console.fail_with(connected.error());
        }
    }
    subscriber.subscribe("");
    const auto newest = kept->events.empty() ? 0 : kept->events.back().sequence;
    Follower follower{console, endpoint, kept->epoch, line.has("--since") ? request.since : newest};
    bool written = from ? follower.catch_up(*from) : follower.catch_up();
    bool arrived = false;
    net::Loop loop;
    loop.watch(subscriber, [&](Instant) {
        net::Message message;
        const auto receipt = subscriber.receive(message);
        if (receipt == net::Receipt::message && message.size() == 2) {
            arrived = true;
            if (const auto event = codec::event_from_json(message[1])) {
                written = written && follower.on_event(*event);
            }
        }
        return receipt != net::Receipt::nothing;
    });
    for (Instant asked = net::boottime_now(); written;) {
        const Instant now = loop.turn(asked + silence);
        if (std::exchange(arrived, false)) {
            asked = now;
        } else if (now >= asked + silence) {
            written = follower.break_silence();
            asked = net::boottime_now();
        }
    }
    return ExitCode::error;
}

}  // namespace

ExitCode run_events(Console& console, const CommandLine& line, EventsRequest request) {
    if (line.has("--follow")) {
        return follow(console, line, request);
    }
    auto kept = kept_events(console, request);
    if (!kept) {
        return console.fail_with(kept.error());
    }
    if (const auto from = since_moment(line)) {
        std::erase_if(kept->events, [&](const Event& event) { return event.at < *from; });
    }
    if (kept->events.empty() && request.since > 0) {
        print_error(
            fmt::format("muster: no event is above number {} in epoch {}; each start of the "
                        "coordinator counts from 1\n",
                        request.since, raw(kept->epoch)));
    }
    return console.show(*kept);
}

}  // namespace muster::cli
