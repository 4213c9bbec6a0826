#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// L10: a node whose host cannot create processes or write its journal is suspended within five of
/// its answers. A host that asks for no work gets no starts.
///
/// Only answers for which the coordinator waits are judged: late ones change nothing.
class UnfitHosts : public Checker {
public:
    void on(Instant, const LeadershipBegan&) {
        answers_.clear();
        for (auto& [index, host] : hosts_) {
            host.unable = false;
            host.last_poll = {};
        }
    }

    void on(Instant, const WelcomeIssued& welcome) {
        Host& host = hosts_[welcome.host];
        host.name = welcome.name;
        if (host.last_poll.incarnation != welcome.incarnation) {
            host.unable = false;
            host.last_poll = {};
        }
    }

    void on(Instant, const PollIssued& poll) { hosts_[poll.host].last_poll = poll.poll; }

    void on(Instant, const AgentMessageReceived& received) {
        const auto* report = std::get_if<Report>(&received.message);
        Host& host = hosts_[received.host];
        if (report == nullptr || report->round == Round{} ||
            report->round != host.last_poll.round || report->epoch != host.last_poll.epoch ||
            report->incarnation != host.last_poll.incarnation) {
            return;
        }
        host.last_poll.round = Round{};  // A repeated answer does not count again.
        host.unable = report->host.unable;
        FailingAnswers& answers = answers_[host.name];
        const bool is_failing = report->host.spawn_failing || report->host.journal_failing;
        answers.failing = is_failing && !answers.suspended ? answers.failing + 1 : 0;
        if (answers.failing > failing_answers_limit) {
            violated("L10",
                     "{} answered {} times in a row that it cannot work, and is "
                     "not suspended",
                     host.name, answers.failing);
        }
    }

    void on(Instant, const EventPublished& published) {
        const std::string& topic = published.event.topic;
        FailingAnswers& answers = answers_[published.event.name];
        if (topic == "node.suspended") {
            answers.suspended = true;
        } else if (topic == "node.suspension_ended" || topic == "node.released" ||
                   topic == "node.forgiven" || topic == "node.forgotten" ||
                   topic == "node.removed") {
            answers = {};
        }
    }

    void on(Instant, const BatchIssued& issued) {
        const Host& host = hosts_[issued.host];
        if (host.unable && !issued.batch.starts.empty()) {
            violated("L10", "{} was started on {}, which asks for no work",
                     to_string(issued.batch.starts.front().id), host.name);
        }
    }

private:
    static constexpr std::uint32_t failing_answers_limit = 5;  // Answers in a row.

    struct Host {
        std::string name;
        Poll last_poll;
        bool unable = false;
    };
    struct FailingAnswers {
        std::uint32_t failing = 0;  // Answers in a row.
        bool suspended = false;
    };

    std::map<HostIndex, Host> hosts_;
    std::map<std::string, FailingAnswers> answers_;
};

}  // namespace muster::sim
