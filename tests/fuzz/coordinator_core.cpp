#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/recorder/core_state.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

// A coordinator's core among agents and operators whose actions are chosen by bytes. Some agents
// are honest, and any peer can send any readable message; the store is trusted.
namespace muster::fuzz {
namespace {

using coordinator::testing::CoordinatorHarness;
using coordinator::testing::FakeAgent;

constexpr std::array fake_names{"n0", "n1", "n2", "n3"};

class CoordinatorUnderFuzz {
public:
    explicit CoordinatorUnderFuzz(std::uint8_t bits)
        : harness_{CoordinatorHarness::empty_store(), {}} {
        for (std::uint8_t fake = 0; fake < bits % 5U; ++fake) {
            harness_.join(fake_names.at(fake));
        }
    }

    /// Does the action that the next bytes choose. False: the leadership is over.
    bool act(Bytes& bytes) {
        switch (bytes.byte() % 16) {
            case 0: deliver_from_agent(bytes); break;
            case 1:
            case 2:
            case 3: ask(codec::request_from_text(bytes.up_to('\n')), bytes); break;
            case 4: ask(codec::decode_request(bytes.chunk()), bytes); break;
            case 5: ask(codec::request_from_json(bytes.up_to('\n')), bytes); break;
            case 6: want(bytes); break;
            case 7: harness_.pass(std::chrono::milliseconds{bytes.number(2)}); break;
            case 8: harness_.pass(std::chrono::seconds{bytes.byte() % 32}); break;
            case 9: harness_.join(fake_names.at(bytes.byte() % fake_names.size())); break;
            case 10: change_fake(bytes); break;
            case 11: report_anything(bytes); break;
            case 12: close(bytes.byte()); break;
            case 13: harness_.store_works = !harness_.store_works; break;
            case 14: harness_.confirm(); break;
            default: rare(bytes); break;
        }
        return !harness_.resigned;
    }

    /// Checks that must hold at the end.
    void check_end() {
        for (const auto& [ticket, count] : harness_.reply_counts) {
            ensure(count == 1, "a request has one reply");
        }
        std::uint64_t last = 0;
        for (const auto& persist : harness_.persisted) {
            ensure(persist.number > last, "writes are numbered in their order");
            last = persist.number;
        }
        for (const auto& [name, fake] : harness_.fakes) {
            for (const auto& batch : fake.batches) {
                ensure_readable(batch);
            }
        }
        const std::string saved = coordinator::save_core(harness_.coordinator);
        const auto restored = coordinator::restore_core(saved);
        ensure(restored && save_core(**restored) == saved, "a core is restored as it was saved");
    }

private:
    static void ensure_readable(const CoordinatorMessage& message) {
        std::string encoded;
        codec::encode(message, encoded);
        CoordinatorMessage decoded;
        ensure(codec::decode(encoded, decoded).has_value() && decoded == message,
               "an agent can read what a coordinator writes");
    }

    [[nodiscard]] FakeAgent* fake(std::uint8_t choice) {
        if (harness_.fakes.empty()) {
            return nullptr;
        }
        auto at = harness_.fakes.begin();
        std::advance(at, choice % harness_.fakes.size());
        return &at->second;
    }

    // On an existing route, or a new one.
    void deliver_from_agent(Bytes& bytes) {
        const auto choice = bytes.byte();
        const FakeAgent* const speaker = choice < 0xf0 ? fake(choice) : nullptr;
        const coordinator::Session session =
            speaker != nullptr ? speaker->session : coordinator::Session{1'000'000U + choice};
        AgentMessage message;
        if (codec::decode(bytes.chunk(), message)) {
            harness_.give(coordinator::FromAgent{session, std::move(message)});
        } else {
            harness_.give(coordinator::Undecodable{session});
        }
    }

    void ask(Result<Request> request, Bytes& bytes) {
        if (!request) {
            return;
        }
        auto to_core = for_core(std::move(*request));
        if (!to_core) {
            return;
        }
        if (bytes.byte() % 4 != 0) {
            to_core->id = harness_.fresh_id();
        }
        const coordinator::Ticket ticket{harness_.next_number++};
        harness_.give(coordinator::FromOperator{ticket, std::move(*to_core)});
        if (const auto reply = harness_.reply_to(ticket)) {
            std::string encoded;
            codec::encode(*reply, encoded);
            const auto decoded = codec::decode_reply(encoded);
            ensure(decoded && *decoded == *reply, "an operator can read what is answered");
        }
    }

    void want(Bytes& bytes) {
        const auto bits = bytes.byte();
        WantedTask task =
            CoordinatorHarness::wanted((bits & 1U) != 0 ? "db" : "web", bytes.byte() % 8U);
        task.spec.argv.push_back(std::to_string((bits >> 1U) % 4U));
        task.spec.exclusive = (bits & 8U) != 0;
        task.place.every_node = (bits & 16U) != 0;
        task.place.pinned = (bits & 32U) != 0;
        task.spec.update.max_unavailable = (bits & 64U) != 0 ? 1 : 0;
        task.spec.update.max_surge = (bits & 64U) != 0 ? 0 : 1;
        if (task.place.every_node) {
            task.instances = std::min(task.instances, 1U);
        }
        if (!fault_of(task)) {
            ask(Request{{}, ApplyRequest{.tasks = {std::move(task)}, .replace = bits >= 128}},
                bytes);
        }
    }

    void change_fake(Bytes& bytes) {
        FakeAgent* const changed = fake(bytes.byte());
        if (changed == nullptr) {
            return;
        }
        const auto bits = bytes.byte();
        changed->answers = (bits & 1U) != 0;
        changed->obeys = (bits & 2U) != 0;
        changed->reports_changes = (bits & 4U) != 0;
        changed->stamps = (bits & 8U) != 0;
        changed->host.unable = (bits & 16U) != 0;
        changed->host.spawn_failing = (bits & 32U) != 0;
        changed->host.readiness = static_cast<Readiness>(bits >> 6U);
    }

    // A report with valid stamps and arbitrary contents.
    void report_anything(Bytes& bytes) {
        FakeAgent* const from = fake(bytes.byte());
        if (from == nullptr || from->polls.empty()) {
            return;
        }
        const auto bits = bytes.byte();
        Report report = harness_.report_of(*from, from->polls.back());
        report.kind = static_cast<ReportKind>(bits % 3U);
        report.round = (bits & 4U) != 0 ? Round{} : report.round;
        from->revision = report.to = Revision{raw(report.to) + (bits >> 6U)};
        report.from = report.kind == ReportKind::delta ? report.from : report.to;
        report.obeyed = Sequence{bytes.byte()};
        for (std::uint8_t count = (bits >> 3U) % 4U; count > 0; --count) {
            const auto which = bytes.byte();
            InstanceReport instance;
            instance.id = {(which & 1U) != 0 ? "db" : "web", (which >> 1U) % 8U};
            instance.generation = Generation{bytes.byte()};
            instance.state = static_cast<InstanceState>((which >> 4U) % 7U);
            if (which >= 0xe0) {
                report.gone.push_back(instance.id);
            } else {
                report.instances.push_back(std::move(instance));
            }
        }
        harness_.give(coordinator::FromAgent{from->session, std::move(report)});
    }

    void close(std::uint8_t choice) {
        if (FakeAgent* const closed = fake(choice)) {
            harness_.give(coordinator::SessionClosed{closed->session});
        }
    }

    void rare(Bytes& bytes) {
        switch (bytes.byte() % 4) {
            case 0: harness_.give(coordinator::OwnSockets{bytes.byte() % 2 != 0}); break;
            case 1:
                harness_.give(
                    coordinator::CivilTime{CivilMs{static_cast<std::int64_t>(bytes.number(6))}});
                break;
            case 2:
                if (FakeAgent* const left = fake(bytes.byte())) {
                    harness_.give(
                        coordinator::FromAgent{left->session, Departure{left->incarnation, 0}});
                }
                break;
            default: harness_.give(coordinator::Wake{}); break;
        }
    }

    CoordinatorHarness harness_;
};

}  // namespace

void fuzz_coordinator_core(std::string_view input) {
    Bytes bytes{input};
    CoordinatorUnderFuzz coordinator{bytes.byte()};
    while (!bytes.is_empty() && coordinator.act(bytes)) {
    }
    coordinator.check_end();
}

}  // namespace muster::fuzz
