#include "coordinator/core/nodes/notes.hpp"

namespace muster::coordinator {

std::string told_cause(std::string_view author, std::string_view reason) {
    std::string told = author.empty() ? "by an operator" : "by " + std::string{author};
    return reason.empty() ? told : told + ": " + std::string{reason};
}

std::string note_of(const Node& node) {
    if (node.ahead) {
        return "ahead: it knows a later store or another one, so it gets no orders";
    }
    if (node.incarnation == Incarnation{}) {
        return "listed, and has not joined yet";
    }
    if (node.gone) {
        return "left";
    }
    if (node.penalty_until && !node.lost) {
        return "suspended";
    }
    if (node.misses > 0) {
        return (node.lost ? "was silent for " : "silent for ") + std::to_string(node.misses) +
               (node.misses == 1 ? " poll" : " polls");
    }
    if (!node.reported) {
        return node.lost ? "lost before this leadership" : "has not reported yet";
    }
    const HostFacts& host = facts_of(node).host;
    if (host.unable) {
        return told_unable(facts_of(node));
    }
    if (host.readiness == Readiness::failed) {
        return told_check(host);
    }
    if (!node.able && !node.lost) {
        return host.readiness == Readiness::none ? "it has not answered yet"
                                                 : "its readiness check has not passed yet";
    }
    if (host.spawn_failing) {
        return "cannot make processes";
    }
    return host.journal_failing ? "cannot write its own state" : "";
}

std::string told_check(const HostFacts& host) {
    return host.check_exit < 0
               ? "its readiness check was killed, did not end in time or cannot be run"
               : "its readiness check ended with exit code " + std::to_string(host.check_exit);
}

std::string told_unable(const AgentFacts& said) {
    return said.vitals.unable.empty() ? "the host asks for no work" : said.vitals.unable;
}

std::string_view why_not_serving(const Node& node) {
    if (health_of(node) != Health::healthy) {
        return to_string(health_of(node));
    }
    if (node.intent != Intent::active) {
        return to_string(node.intent);
    }
    if (node.ahead || node.durable.ahead) {
        return "ahead";
    }
    if (node.unschedulable) {
        return "silent";
    }
    return node.reported ? "no_orders" : "unreported";
}

}  // namespace muster::coordinator
