#include "coordinator/endpoints/listeners.hpp"

#include <algorithm>
#include <utility>

#include "coordinator/core/queries/read_scope.hpp"

namespace muster::coordinator {

std::vector<std::string> Listeners::topics_of(const PublicKey& key, std::string_view topic) {
    const auto reader = readers_.find(key);
    if (reader == readers_.end()) {
        return {};
    }
    if (reader->second.is_limited) {
        const std::string own = event_prefix(reader->second.name);
        if (!topic.empty() && !topic.starts_with(own)) {
            return {};
        }
        limited_.insert(reader->second.name);
        return {topic.empty() ? own : std::string{topic}};
    }
    if (topic.empty()) {  // All but those with a prefix.
        std::vector<std::string> all;
        for (char first = 'a'; first <= 'z'; ++first) {
            all.emplace_back(1, first);
        }
        return all;
    }
    return topic.starts_with('@') ? std::vector<std::string>{} : std::vector{std::string{topic}};
}

bool Listeners::update(Instant now) {
    auto before = std::exchange(readers_, core_.readers(now));
    const bool is_less = std::ranges::any_of(before, [&](const auto& reader) {
        const auto after = readers_.find(reader.first);
        return after == readers_.end() || after->second != reader.second;
    });
    if (is_less) {
        limited_.clear();
    }
    return is_less;
}

}  // namespace muster::coordinator
