#include "sim/checkers/agents/unfit_hosts.hpp"

#include <variant>

namespace muster::sim {

void UnfitHosts::see(Instant, const LeadershipBegan&) {
    conducts_.clear();
    for (auto& [index, host] : hosts_) {
        host.unable = false;
        host.asked = {};
    }
}

void UnfitHosts::see(Instant, const WelcomeIssued& welcome) {
    Host& host = hosts_[welcome.host];
    host.name = welcome.name;
    if (host.asked.incarnation != welcome.incarnation) {
        host.unable = false;
        host.asked = {};
    }
}

void UnfitHosts::see(Instant, const PollIssued& poll) { hosts_[poll.host].asked = poll.poll; }

void UnfitHosts::see(Instant, const AgentHeard& heard) {
    const auto* report = std::get_if<Report>(&heard.message);
    Host& host = hosts_[heard.host];
    if (report == nullptr || report->term == Term{} || report->term != host.asked.term ||
        report->epoch != host.asked.epoch || report->incarnation != host.asked.incarnation) {
        return;
    }
    host.asked.term = Term{};  // Its double says nothing more.
    host.unable = report->host.unable;
    Conduct& conduct = conducts_[host.name];
    const bool is_failing = report->host.spawn_failing || report->host.journal_failing;
    conduct.failing = is_failing && !conduct.suspended ? conduct.failing + 1 : 0;
    if (conduct.failing > borne) {
        violated("L10",
                 "{} answered {} times in a row that it cannot work, and is "
                 "not suspended",
                 host.name, conduct.failing);
    }
}

void UnfitHosts::see(Instant, const EventPublished& published) {
    const std::string& topic = published.event.topic;
    Conduct& conduct = conducts_[published.event.name];
    if (topic == "node.suspended") {
        conduct.suspended = true;
    } else if (topic == "node.served" || topic == "node.released" || topic == "node.forgiven" ||
               topic == "node.forgotten" || topic == "node.removed") {
        conduct = {};
    }
}

void UnfitHosts::see(Instant, const BatchIssued& issued) {
    const Host& host = hosts_[issued.host];
    if (host.unable && !issued.batch.starts.empty()) {
        violated("L10", "{} was started on {}, which asks for no work",
                 to_string(issued.batch.starts.front().id), host.name);
    }
}

}  // namespace muster::sim
