#include "coordinator/core/planning/dispatch/commands.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::coordinator {

namespace {

/// The size of a spec with all fields, without its texts.
constexpr std::size_t spec_frame_bytes = 512;
constexpr std::size_t rlimit_bytes = 48;

/// An estimate of the size of a spec in a message, usually too high. Its bound leaves ample room.
std::size_t bytes_of(const TaskSpec& spec) {
    std::size_t bytes = spec_frame_bytes + spec.workdir.size() + spec.user.size() +
                        spec.user_group.size() + spec.signature.size() +
                        spec.rlimits.size() * rlimit_bytes;
    for (const auto* const texts : {&spec.argv, &spec.env_files, &spec.pre_start, &spec.post_stop,
                                    &spec.secrets, &spec.cluster_secrets}) {
        for (const std::string& text : *texts) {
            bytes += text.size() + 5;
        }
    }
    for (const auto& [key, value] : spec.env) {
        bytes += key.size() + value.size() + 10;
    }
    return bytes;
}

constexpr std::size_t secret_frame_bytes = 128;  // Sealed it is some bytes longer.

std::size_t bytes_of(const std::optional<SpecVersion>& spec,
                     const std::vector<const StoredSecret*>& secrets) {
    std::size_t bytes = spec ? bytes_of(spec->spec) : 0;
    for (const StoredSecret* const secret : secrets) {
        bytes += secret->encrypted.size() + secret_frame_bytes;
    }
    return bytes;
}

/// Each secret once.
void add_secrets(const std::vector<const StoredSecret*>& secrets, Batch& batch) {
    for (const StoredSecret* const secret : secrets) {
        if (std::ranges::find(batch.secrets, secret->name, &SecretValue::name) ==
            batch.secrets.end()) {
            batch.secrets.push_back({secret->name, secret->version, secret->encrypted});
        }
    }
}

}  // namespace

void Commands::launch(const Plan& plan, const Meta& meta, std::vector<ToAgent>& messages) {
    std::vector<Order> by_node = plan.orders;
    std::ranges::stable_sort(by_node, {}, &Order::node);
    filling_.reset();
    for (const Order& order : by_node) {
        const InstanceId id{workload_.name(order.task), order.ordinal};
        auto spec = spec_for(order);
        const auto secrets = secrets_for(order);
        const std::size_t bytes = bytes_of(spec, secrets);
        if (bytes > 0 && spec_bytes_ + bytes > limits::batch_spec_bytes) {
            filling_.reset();
        }
        Batch& batch = batch_for(order, meta, messages);
        if (order.action == Order::Action::stop) {
            batch.stops.push_back({id, order.generation});
        } else {
            batch.starts.push_back({.id = id,
                                    .generation = order.generation,
                                    .digest = workload_[order.task].digest,
                                    .proof = proof_for(order, id)});
        }
        spec_bytes_ += bytes;
        add_secrets(secrets, batch);
        if (spec) {
            batch.specs.push_back(std::move(*spec));
        }
        ++commands_;
        placements_.orders().launched(order, batch.sequence);
    }
}

Batch& Commands::batch_for(const Order& order, const Meta& meta, std::vector<ToAgent>& messages) {
    if (filling_ != order.node || commands_ == limits::batch_commands) {
        const Node& node = nodes_[order.node];
        ensure(is_commandable(node), "an order goes only where one may go");
        messages.push_back({*node.session, Batch{.cluster = meta.cluster,
                                                 .epoch = meta.epoch,
                                                 .leader = meta.leader,
                                                 .incarnation = node.incarnation,
                                                 .sequence = nodes_.issue(order.node),
                                                 .counter = meta.counter,
                                                 .specs = {},
                                                 .stops = {},
                                                 .starts = {},
                                                 .secrets = {}}});
        filling_ = order.node;
        commands_ = 0;
        spec_bytes_ = 0;
    }
    return std::get<Batch>(messages.back().message);
}

Proof Commands::proof_for(const Order& order, const InstanceId& id) {
    const Node& node = nodes_[order.node];
    return proofs_.make(id, order.generation, node.name, node.incarnation);
}

std::optional<SpecVersion> Commands::spec_for(const Order& order) {
    if (order.action == Order::Action::stop) {
        return std::nullopt;
    }
    const Task& task = workload_[order.task];
    ensure(task.wanted && task.generation == order.generation, "only the wanted spec is started");
    auto& given = made_at(given_, order.node);
    const auto place = std::ranges::lower_bound(given, order.task, {}, &Given::task);
    const bool is_listed = place != given.end() && place->task == order.task;
    if (is_listed && place->generation == order.generation) {
        return std::nullopt;
    }
    if (is_listed) {
        place->generation = order.generation;
    } else if (given.size() < 2 * limits::instances_per_node) {
        given.insert(place, {order.task, order.generation});
    } else {
        given.assign({{order.task, order.generation}});  // Bounded: other specs are sent once more.
    }
    return SpecVersion{task.name, order.generation, task.spec};
}

std::vector<const StoredSecret*> Commands::secrets_for(const Order& order) const {
    std::vector<const StoredSecret*> found;
    if (order.action == Order::Action::start) {
        for (const std::string& name : workload_[order.task].spec.cluster_secrets) {
            if (const StoredSecret* const secret = secrets_.rows().find(name)) {
                found.push_back(secret);
            }
        }
    }
    return found;
}

void Commands::forget(NodeIndex node) {
    if (raw(node) < given_.size()) {
        given_[raw(node)] = {};
    }
}

void Commands::forget(NodeIndex node, TaskIndex task) {
    if (raw(node) < given_.size()) {
        std::erase_if(given_[raw(node)], [&](const Given& given) { return given.task == task; });
    }
}

}  // namespace muster::coordinator
