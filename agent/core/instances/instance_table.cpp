#include "agent/core/instances/instance_table.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/text/utf8.hpp"

namespace muster::agent {

bool is_over(InstanceState state) {
    return state == InstanceState::exited || state == InstanceState::failed;
}

bool Instance::is_over() const { return agent::is_over(report.state); }

std::size_t InstanceTable::count() const {
    return static_cast<std::size_t>(std::ranges::count_if(instances_, [](const Entry& entry) {
        return !entry.second.gone && entry.second.report.state != InstanceState::exited;
    }));
}

InstanceTable::Entry* InstanceTable::find(const InstanceId& id) {
    const auto found = instances_.find(id);
    return found == instances_.end() ? nullptr : &*found;
}

InstanceTable::Entry& InstanceTable::at(const InstanceId& id) {
    Entry* const entry = find(id);
    ensure(entry != nullptr, "every deadline and every process belongs to an instance");
    return *entry;
}

InstanceTable::Entry& InstanceTable::add(const InstanceId& id) {
    Entry& entry = *instances_.try_emplace(id).first;
    entry.second.report.id = id;
    return entry;
}

void InstanceTable::set_state(Entry& entry, InstanceState state, std::string_view detail) {
    entry.second.report.state = state;
    entry.second.report.detail = cut(detail, limits::detail_bytes);
    touch(entry.first);
}

void InstanceTable::set_deadline(Entry& entry, std::optional<Instant> deadline) {
    auto& present = entry.second.deadline;
    if (present) {
        deadlines_.erase({*present, entry.first});
    }
    present = deadline;
    if (present) {
        deadlines_.insert({*present, entry.first});
    }
}

InstanceTable::Entry* InstanceTable::take_due(Instant now) {
    if (deadlines_.empty() || deadlines_.begin()->first > now) {
        return nullptr;
    }
    Entry& entry = at(deadlines_.begin()->second);
    set_deadline(entry, std::nullopt);
    return &entry;
}

void InstanceTable::touch(const InstanceId& id) {
    touched_.insert(id);
    unwritten_.insert(id);
}

void InstanceTable::erase_gone(const InstanceId& id) {
    const auto found = instances_.find(id);
    if (found != instances_.end() && found->second.gone && !unwritten_.contains(id)) {
        instances_.erase(found);
        touched_.insert(id);
    }
}

void RestartRecord::starting(Instant now, const RestartRule& rule) {
    forget_old(now, rule);
    ensure(history_.starts.size() < rule.max, "no start after an instance was given up");
    history_.starts.push_back(now);
    history_.running_since.reset();
}

void RestartRecord::forgive_start() {
    if (!history_.starts.empty()) {  // A start by a life whose journal was lost is not known.
        history_.starts.pop_back();
    }
}

std::optional<Duration> RestartRecord::after_end(Instant now, const RestartRule& rule) {
    if (history_.running_since && now - *history_.running_since >= limits::quiet_period) {
        history_.starts.clear();
        history_.delay = {};
    }
    history_.running_since.reset();
    forget_old(now, rule);
    if (history_.starts.size() >= rule.max) {
        return std::nullopt;
    }
    const Duration delay = std::max(history_.delay, rule.backoff);
    history_.delay = std::min(delay * 2, limits::backoff_max);
    return delay;
}

void RestartRecord::forget_old(Instant now, const RestartRule& rule) {
    std::erase_if(history_.starts, [&](Instant start) { return now - start >= rule.window; });
}

}  // namespace muster::agent
