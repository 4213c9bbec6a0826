#include "tests/faults/trial.hpp"

#include <algorithm>
#include <utility>

namespace muster::faults {

namespace {

using integration::ClusterOptions;
using integration::Json;
using integration::until;

ClusterOptions for_trial(ClusterOptions options) {
    options.nodes.clear();
    // A suspension is short, and only faults move instances.
    options.config +=
        "max_flaky = \"" + integration::in_ms(integration::paces(10)) + "\"\nrebalance = \"off\"\n";
    return options;
}

constexpr std::size_t copies_at_rest = 4;

}  // namespace

Trial::Trial(ClusterOptions options)
    : cluster_{for_trial(std::move(options))}, changes_{cluster_, cluster_.operators_socket()} {}

void Trial::start(const std::string& node) {
    cluster_.start_agent(node);
    nodes_.push_back(node);
}

void Trial::begin(const std::vector<std::string>& nodes) {
    for (const auto& node : nodes) {
        start(node);
    }
    REQUIRE(cluster_.serving(nodes_.size()));
    auto each = cluster_.task("each", 1);
    each["every_node"] = true;
    cluster_.apply({each});
    await_convergence();
    for (const auto& node : nodes_) {
        holdings_[node] = steady_holding(cluster_, node);
    }
    coordinators_.files = files_of(cluster_.coordinator().pid());
    give(copies_at_rest);
    await_convergence();
    before_ = running();
}

void Trial::give_more_work() { give(copies_ + 1); }

void Trial::give(std::size_t copies) {
    copies_ = copies;
    auto web = cluster_.task("web", static_cast<std::uint32_t>(copies));
    web["max_per_node"] = 64;
    cluster_.apply({web});
}

void Trial::await_convergence() {
    Json status;
    const bool converges = until([&] {
        status = cluster_.status();
        if (status.at("health").at("flaky") != 0) {
            static_cast<void>(cluster_.ask({{"verb", "node forgive"}, {"pattern", "*"}}));
        }
        return status.at("converged") == true && status.at("phase") == "leading" &&
               status.at("serving") == nodes_.size() && status.at("freeze").at("on") == false &&
               all_answer() && running().size() == nodes_.size() + copies_;
    });
    CAPTURE(status.dump());
    REQUIRE(converges);
}

// A node that misses polls still serves, but it may become lost at any moment.
bool Trial::all_answer() const {
    const Json reply = cluster_.ask({{"verb", "node list"}});
    return std::ranges::all_of(reply.at("nodes"),
                               [](const Json& node) { return node.at("missed") == 0; });
}

std::set<Trial::Running> Trial::running() const {
    std::set<Running> all;
    for (const auto& process : cluster_.tasks()) {
        all.insert({.instance = std::string{process.variable("MUSTER_INSTANCE")},
                    .node = std::string{process.variable("MUSTER_NODE")},
                    .pid = process.pid});
    }
    return all;
}

void Trial::check(const std::set<std::string>& faulty) {
    CHECK(cluster_.coordinator().running());
    for (const auto& node : nodes_) {
        CAPTURE(node);
        CHECK(cluster_.agent(node).running());
    }
    changes_.await_answers();
    await_convergence();
    changes_.check();
    check_work(faulty);
    give(0);
    await_convergence();
    check_holdings();
    give(copies_at_rest);
    await_convergence();
    before_ = running();
}

void Trial::check_work(const std::set<std::string>& faulty) {
    const auto now = running();
    for (const Running& earlier : before_) {
        CAPTURE(earlier);
        const bool may_move = earlier.instance.starts_with("web.") && faulty.contains(earlier.node);
        CHECK((may_move || now.contains(earlier)));
    }
    std::set<std::string> instances;
    for (const Running& later : now) {
        CAPTURE(later);
        CHECK(instances.insert(later.instance).second);
    }
}

void Trial::check_holdings() {
    for (const auto& node : nodes_) {
        CAPTURE(node);
        Holding last;
        static_cast<void>(
            until([&] { return (last = holding_of(cluster_, node)) == holdings_.at(node); }));
        CHECK(last == holdings_.at(node));
    }
    Holding last;
    static_cast<void>(until([&] {
        last.files = files_of(cluster_.coordinator().pid());
        return last == coordinators_;
    }));
    CHECK(last == coordinators_);
}

}  // namespace muster::faults
