#include <utility>

#include "common/base/process.hpp"
#include "common/net/accept/accept.hpp"
#include "coordinator/http/pages.hpp"
#include "coordinator/server.hpp"

/// What the core's answers lack: facts of the process.
namespace muster::coordinator {

std::optional<Reply> Server::completed(const Reply& reply) const {
    std::optional<Reply> whole;
    const auto begin = [&]<class Body>(const Body* known) -> Body* {
        return known == nullptr ? nullptr : &std::get<Body>(*whole.emplace(reply).result);
    };
    if (!reply.result) {
        return whole;
    }
    if (auto* const stats = begin(std::get_if<StatsReply>(&*reply.result))) {
        stats_.add_to(*stats, messages());
    }
    if (auto* const status = begin(std::get_if<StatusReply>(&*reply.result))) {
        const auto met = messages();
        status->host = host_name();
        if (!standing_.leads()) {
            status->phase = "standby";
        }
        status->undecodable =
            met.agents.undecodable + met.operators_undecodable + met.ended_by_guard;
        if (file_alarm_) {
            status->alarms.push_back(*file_alarm_);
        }
        if (const auto trouble = standing_.leads() ? store_->trouble() : std::nullopt) {
            status->alarms.emplace_back("changes wait, because the store takes none: " + *trouble);
        }
        if (const auto trouble = standing_.trouble()) {
            status->alarms.push_back("not all servers of the store answer: " + *trouble);
        }
        if (security_.is_insecure) {
            status->alarms.push_back(
                "there are no keys: every process of this host may command the cluster; 'muster "
                "init' makes keys");
        }
        if (recorder_ && recorder_->trouble()) {
            status->alarms.push_back("recording failed: " + *recorder_->trouble());
        }
    }
    if (auto* const events = begin(std::get_if<EventsReply>(&*reply.result))) {
        events->published_at = bound_.events;
    }
    if (auto* const all = begin(std::get_if<CoordinatorsReply>(&*reply.result))) {
        *all = standing_.coordinators();
    }
    if (auto* const tokens = begin(std::get_if<TokensReply>(&*reply.result))) {
        tokens->enrolment = bound_.enrolment;
        tokens->key = gate_.has_keys() ? to_string(gate_.key()) : "";
    }
    if (auto* const enrolled = begin(std::get_if<EnrolReply>(&*reply.result))) {
        enrolled->agents = bound_.agents;
    }
    return whole;
}

ShellStats::Messages Server::messages() const {
    return {.agents = agents_.traffic(),
            .operators_undecodable =
                operators_.undecodable() + operators_ipc_.undecodable() + enrolment_.undecodable(),
            .ended_by_guard = net::ended_by_guard(),
            .turned_away = net::turned_away(),
            .unproved = operators_.unproved() + enrolment_.unproved(),
            .too_fast = operators_.too_fast() + enrolment_.too_fast(),
            .ended = operators_.ended(),
            .denied = requests_.denied(),
            .handshakes_begun = net::handshakes_begun(),
            .handshakes = gate_.counts()};
}

HttpAnswer Server::answer_http(Instant now, std::string_view path) {
    if (path == "/healthz") {
        return health_page(resigned_);
    }
    if (path == "/readyz") {
        return readiness_page(requests_.query(now, {.id = {}, .body = StatusRequest{}})->result);
    }
    if (path == "/metrics") {
        if (!metrics_ || metrics_at_ != now) {  // All requests of one turn get the same page.
            metrics_ =
                metrics_page(requests_.query(now, {.id = {}, .body = StatsRequest{}})->result);
            metrics_at_ = now;
        }
        return *metrics_;
    }
    return no_such_page();
}

}  // namespace muster::coordinator
