#include "coordinator/providers/local/nodes.hpp"

#include <filesystem>
#include <poll.h>
#include <set>
#include <utility>

#include "common/net/host/clock.hpp"
#include "coordinator/providers/local/free_address.hpp"
#include "coordinator/providers/local/operator_link.hpp"

namespace muster::local_provider {
namespace {

// An agent that is not up after this may still come; the coordinator watches for that.
constexpr Duration patience_with_agents = 5s;
constexpr Duration pause = 10ms;

}  // namespace

Nodes::Nodes(Options options, Subject subject)
    : options_{std::move(options)},
      subject_{std::move(subject)},
      files_{options_.directory, subject_.cluster} {}

std::vector<NodeRecord> Nodes::list() const {
    std::vector<NodeRecord> living;
    for (const std::string& node : files_.nodes()) {
        auto record = files_.record_of(node);
        const auto agent = files_.agent_of(node);
        if (record && agent && lives(*agent)) {
            living.push_back(*std::move(record));
        }
    }
    return living;
}

Result<void> Nodes::provision(std::uint32_t count) const {
    if (auto made = files_.make(); !made) {
        return made;
    }
    clean_up_ended();
    auto nodes = missing(count);
    if (!nodes) {
        return tl::unexpected{nodes.error()};
    }
    return start(*nodes).and_then([&] { return wait_until_up(*nodes); });
}

Result<std::vector<Nodes::Held>> Nodes::missing(std::uint32_t count) const {
    std::set<std::string> taken;
    for (const std::string& node : files_.nodes()) {
        if (const auto record = files_.record_of(node)) {
            taken.insert(record->address);
        }
    }
    std::vector<Held> nodes;
    std::vector<std::string> again;
    for (std::uint32_t ordinal = 1; ordinal <= count; ++ordinal) {
        const std::string name = node_name(subject_.pool, subject_.request, ordinal);
        auto lock = files_.lock(name, NodeFiles::Waits::yes);
        if (!lock) {
            return tl::unexpected{lock.error()};
        }
        NodeRecord node{.cluster = subject_.cluster,
                        .pool = subject_.pool,
                        .request = subject_.request,
                        .node = name,
                        .address = {}};
        if (const std::string started = NodeFiles::started_for(*lock); !started.empty()) {
            if (started != purpose_of(node)) {
                return fail(Errc::exists, "node " + name + " was made for the pool and request " +
                                              started + "; give this pool another name");
            }
            continue;
        }
        const auto agent = files_.agent_of(name);
        if (agent && lives(*agent)) {  // Of a call that was killed.
            if (auto marked = NodeFiles::mark_started(*lock, node); !marked) {
                return tl::unexpected{marked.error()};
            }
            continue;
        }
        if (clean_up(name)) {
            again.push_back(name);
        }
        node.address = free_address(subject_.cluster, name, taken);
        if (node.address.empty()) {
            return fail(Errc::busy,
                        "no port is free for node " + name + "; remove some nodes of this host");
        }
        taken.insert(node.address);
        nodes.push_back({std::move(node), *std::move(lock)});
    }
    forget_keys(again, options_.operators);  // Their names may have keys that are lost now.
    return nodes;
}

Result<void> Nodes::start(const std::vector<Held>& nodes) const {
    if (nodes.empty()) {
        return {};
    }
    std::vector<std::string> names;
    names.reserve(nodes.size());
    for (const Held& held : nodes) {
        names.push_back(held.node.node);
    }
    const auto tokens = tokens_for(names, options_.operators,
                                   "pool " + subject_.pool + ", request " + subject_.request);
    if (!tokens) {
        return tl::unexpected{tokens.error()};
    }
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        const NodeRecord& node = nodes[at].node;
        auto begun = files_.make_home(node.node)
                         .and_then([&] { return files_.write_record(node); })
                         .and_then([&] {
                             return start_agent(files_, node, options_.agents, tokens->at(at));
                         });
        if (!begun) {
            return begun;
        }
    }
    return {};
}

Result<void> Nodes::wait_until_up(const std::vector<Held>& nodes) const {
    const Instant end = net::boottime_now() + patience_with_agents;
    Result<void> all{};
    for (const Held& held : nodes) {
        const std::string& name = held.node.node;
        const auto identity = files_.agent_of(name);
        const auto agent = identity ? open_process(*identity) : FileDescriptor{};
        bool has_ended = !agent.is_open();
        while (!has_ended && !is_up(files_, name) && net::boottime_now() < end) {
            has_ended = wait_for_end(agent, pause);
        }
        // One that ended may be made again: the request has not had its effect yet.
        auto done = has_ended
                        ? fail(Errc::refused, "the agent of node " + name +
                                                  " ended at once: " + last_words(files_, name))
                        : NodeFiles::mark_started(held.lock, held.node);
        all = all ? std::move(done) : std::move(all);
    }
    return all;
}

Result<void> Nodes::remove(const std::string& node) const {
    std::error_code none;
    if (!std::filesystem::exists(files_.home_of(node), none)) {
        return {};
    }
    if (auto made = files_.make(); !made) {
        return made;
    }
    {
        const auto lock = files_.lock(node, NodeFiles::Waits::yes);
        if (!lock) {
            return tl::unexpected{lock.error()};
        }
        static_cast<void>(clean_up(node));
        if (std::filesystem::exists(files_.home_of(node), none)) {
            return fail(Errc::io,
                        files_.home_of(node) + " cannot be removed; does somebody else use it?");
        }
    }
    forget_keys({node}, options_.operators);
    clean_up_ended();
    files_.forget_old();
    return {};
}

void Nodes::clean_up_ended() const {
    std::vector<std::string> ended;
    for (const std::string& node : files_.nodes()) {
        const auto lock = files_.lock(node, NodeFiles::Waits::no);
        const auto agent = files_.agent_of(node);
        // Nobody is at it. Without an identity a call that was killed has left it.
        if (lock && lock->is_open() && !(agent && lives(*agent)) && clean_up(node)) {
            ended.push_back(node);
        }
    }
    forget_keys(ended, options_.operators);
}

bool Nodes::clean_up(const std::string& node) const {
    std::error_code none;
    if (!std::filesystem::exists(files_.home_of(node), none)) {
        return false;
    }
    end_agent(files_, node, options_.agents.program);
    files_.remove_home(node);
    return true;
}

}  // namespace muster::local_provider
