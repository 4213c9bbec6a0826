#include "coordinator/core/nodes/notes.hpp"

namespace muster::coordinator {

std::string describe_cause(std::string_view author, std::string_view reason) {
    std::string text = author.empty() ? "by an operator" : "by " + std::string{author};
    return reason.empty() ? text : text + ": " + std::string{reason};
}

namespace {

/// Why the node should get no work, as its agent reports, or why its report is invalid.
std::string unfitness_of(const Node& node) {
    const AgentFacts& facts = facts_of(node);
    if (!facts.bad_report.empty()) {
        return facts.bad_report;
    }
    if (facts.host.unable) {
        return describe_unable(facts);
    }
    return facts.host.readiness == Readiness::failed ? describe_check(facts.host) : "";
}

/// What fails on its host, with the cause that its agent reports.
std::string failure_of(const Node& node) {
    const AgentFacts& facts = facts_of(node);
    const std::string why = facts.vitals.trouble.empty() ? "" : ": " + facts.vitals.trouble;
    if (facts.host.journal_failing) {
        return "cannot write its own state" + why;
    }
    return facts.host.spawn_failing ? "cannot make processes" + why : "";
}

std::string describe_silence(const Node& node) {
    return (node.lost ? "was silent for " : "silent for ") + std::to_string(node.misses) +
           (node.misses == 1 ? " poll" : " polls");
}

}  // namespace

std::string describe_node(const Node& node) {
    if (node.ahead) {
        return "ahead: it knows a later store or another one, so it gets no orders";
    }
    if (node.incarnation == Incarnation{}) {
        return "listed, and has not joined yet";
    }
    if (node.gone) {
        return "left";
    }
    const std::string unfitness = unfitness_of(node);
    const std::string& bad_report = facts_of(node).bad_report;
    if (node.suspended_until && !node.lost) {
        const std::string trouble = unfitness.empty() ? failure_of(node) : unfitness;
        return std::string{"suspended"} + (trouble.empty() ? "" : "; " + trouble);
    }
    if (is_silent(node) && node.misses > 0) {
        return describe_silence(node) + (bad_report.empty() ? "" : "; " + bad_report);
    }
    if (node.silent) {
        return "silent until its next answer";
    }
    if (!node.reported) {
        const std::string missing =
            node.lost ? "lost before this leadership" : "has not reported yet";
        return missing + (bad_report.empty() ? "" : "; " + bad_report);
    }
    if (!unfitness.empty()) {
        return unfitness;
    }
    if (node.lacks_proofs) {
        return "its agent keeps no proofs of orders; update the agent";
    }
    if (node.able || node.lost) {
        return failure_of(node);
    }
    return facts_of(node).host.readiness == Readiness::none
               ? "it has not answered yet"
               : "its readiness check has not passed yet";
}

std::string describe_check(const HostFacts& host) {
    return host.check_exit < 0
               ? "its readiness check was killed, did not end in time or cannot be run"
               : "its readiness check ended with exit code " + std::to_string(host.check_exit);
}

std::string describe_unable(const AgentFacts& facts) {
    return facts.vitals.unable.empty() ? "the host asks for no work" : facts.vitals.unable;
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
    if (node.lacks_proofs) {
        return "lacks_proofs";
    }
    if (node.silent) {
        return "silent";
    }
    return node.reported ? "no_orders" : "unreported";
}

}  // namespace muster::coordinator
