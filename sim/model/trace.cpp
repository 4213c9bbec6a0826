#include "sim/model/trace.hpp"

#include <algorithm>
#include <variant>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/codec/fields/agent_calls.hpp"

namespace muster::sim {

namespace {

std::string describe_report(const Report& report) {
    if (report.kind == ReportKind::same) {
        return fmt::format("same, round {}", raw(report.round));
    }
    auto text = report.kind == ReportKind::snapshot
                    ? fmt::format("snapshot {}:", raw(report.to))
                    : fmt::format("delta {} to {}:", raw(report.from), raw(report.to));
    for (const auto& instance : report.instances) {
        text += fmt::format(" {} {}", describe(instance.id, instance.generation),
                            to_string(instance.state));
    }
    for (const auto& id : report.gone) {
        text += " -" + to_string(id);
    }
    return text;
}

std::string describe_ack(const Ack& ack) {
    auto text = fmt::format("obeyed {}", raw(ack.obeyed));
    for (const auto& refusal : ack.refusals) {
        text += fmt::format(", refused {} {}", describe(refusal.id, refusal.generation),
                            to_string(refusal.code));
    }
    return text;
}

std::string describe_batch(const Batch& batch) {
    auto text = fmt::format("batch {}.{}:", raw(batch.epoch), raw(batch.sequence));
    for (const auto& stop : batch.stops) {
        text += " stop " + describe(stop.id, stop.generation);
    }
    for (const auto& start : batch.starts) {
        text += " start " + describe(start.id, start.generation);
    }
    return text;
}

template <class... Ts>
struct Overload : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
Overload(Ts...) -> Overload<Ts...>;

}  // namespace

void Trace::mix(std::string_view bytes) {
    for (const char byte : bytes) {
        hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    }
}

void Trace::line(Instant now, std::string_view text) {
    lines_.push_back(fmt::format("[{:5}] {}", to_ms(now - origin), text));
    if (lines_.size() > lines_kept_) {
        lines_.pop_front();
    }
    routine(now, text);
}

void Trace::routine(Instant now, std::string_view bytes) {
    mix(static_cast<std::uint64_t>((now - origin).count()));
    mix(bytes);
}

std::string Trace::last(std::size_t lines) const {
    std::string text;
    for (auto at = lines_.size() - std::min(lines, lines_.size()); at < lines_.size(); ++at) {
        text += lines_[at] + "\n";
    }
    return text;
}

bool Trace::contains(std::string_view part) const {
    return std::any_of(lines_.begin(), lines_.end(), [&](const std::string& line) {
        return line.find(part) != std::string::npos;
    });
}

std::string describe(const InstanceId& id, Generation generation) {
    return fmt::format("{} g{}", to_string(id), raw(generation));
}

std::string describe(const AgentMessage& message) {
    return std::visit(Overload{[](const Hello& hello) {
                                   return fmt::format("hello, incarnation {}, epoch {}",
                                                      raw(hello.incarnation), raw(hello.epoch));
                               },
                               [](const Report& report) { return describe_report(report); },
                               [](const Ack& ack) { return describe_ack(ack); },
                               [](const Departure&) { return std::string{"departure"}; },
                               [](const NewKey&) { return std::string{"new key"}; },
                               []<class Call>(const Call& answer) {
                                   return fmt::format("{}, call {}", codec::tag<Call>,
                                                      raw(answer.stamp.number));
                               }},
                      message);
}

std::string describe(const CoordinatorMessage& message) {
    return std::visit(
        Overload{[](const Welcome& welcome) {
                     return fmt::format("welcome, incarnation {}, epoch {}",
                                        raw(welcome.incarnation), raw(welcome.epoch));
                 },
                 [](const Refused& refused) {
                     return fmt::format("refused, {}", to_string(refused.code));
                 },
                 [](const Poll& poll) { return fmt::format("poll, round {}", raw(poll.round)); },
                 [](const Batch& batch) { return describe_batch(batch); },
                 [](const KeyRegistered&) { return std::string{"key registered"}; },
                 []<class Call>(const Call& call) {
                     return fmt::format("{}, call {}", codec::tag<Call>, raw(call.stamp.number));
                 }},
        message);
}

bool is_routine(const AgentMessage& message) {
    const auto* report = std::get_if<Report>(&message);
    return report != nullptr && report->kind == ReportKind::same;
}

bool is_routine(const CoordinatorMessage& message) { return std::holds_alternative<Poll>(message); }

}  // namespace muster::sim
