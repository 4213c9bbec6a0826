#include "sim/model/truth.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::sim {

TrueProcess Truth::begin(Process process) {
    const TrueProcess number{++begun_};
    by_task_[process.id.task].push_back(number);
    by_host_[process.host].push_back(number);
    processes_.emplace(number, std::move(process));
    return number;
}

void Truth::end(TrueProcess number) {
    const auto at = processes_.find(number);
    ensure(at != processes_.end(), "a process ends once");
    std::erase(by_task_[at->second.id.task], number);
    std::erase(by_host_[at->second.host], number);
    processes_.erase(at);
}

const Process* Truth::find(TrueProcess number) const {
    const auto at = processes_.find(number);
    return at == processes_.end() ? nullptr : &at->second;
}

std::vector<TrueProcess> Truth::on(HostIndex host) const {
    const auto at = by_host_.find(host);
    return at == by_host_.end() ? std::vector<TrueProcess>{} : at->second;
}

std::vector<TrueProcess> Truth::of(const std::string& task) const {
    const auto at = by_task_.find(task);
    return at == by_task_.end() ? std::vector<TrueProcess>{} : at->second;
}

std::size_t Truth::running(const InstanceId& id, HostIndex host) const {
    std::size_t count = 0;
    for (const TrueProcess number : on(host)) {
        count += std::size_t{find(number)->id == id};
    }
    return count;
}

}  // namespace muster::sim
