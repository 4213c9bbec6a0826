#include "coordinator/core/scaling/providers.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::coordinator {

namespace {

// The keys of what is asked. Requests and ids have other first letters than these words.
const std::string of_listing = "list";
constexpr std::string_view of_request = "provision ";
constexpr std::string_view of_removal = "remove ";

constexpr Duration listed_while_waiting = 1s;
constexpr Duration listed_at_rest = 10s;

/// At most so many calls of a provider are under way, and a listing.
constexpr std::size_t calls_at_once = 16;

/// A removal is repeated, because only a listing shows that the node is gone. A grant is not
/// stored at once, and until it is its request is not repeated either.
constexpr Duration answered_again_after = 5s;

std::string key(std::string_view kind, std::string_view of) {
    return std::string{kind} + std::string{of};
}

}  // namespace

Providers::Providers(const std::vector<std::string>& configured) {
    for (const std::string& name : configured) {
        providers_[name];
    }
}

const Providers::Listing& Providers::listing(const std::string& provider) const {
    static const Listing none;
    const auto found = providers_.find(provider);
    return found == providers_.end() ? none : found->second.listing;
}

std::string Providers::listing_trouble(const std::string& provider) const {
    const auto found = providers_.find(provider);
    return found == providers_.end() ? std::string{}
                                     : found->second.attempts.why_failed(of_listing);
}

std::string Providers::trouble(const StoredPoolNode& row) const {
    const auto found = providers_.find(row.provider);
    if (found == providers_.end()) {
        return {};
    }
    const bool is_removed = row.state == PoolNodeState::removing;
    return found->second.attempts.why_failed(is_removed ? key(of_removal, row.id)
                                                        : key(of_request, row.request));
}

std::optional<Providers::Answered> Providers::on_answer(Instant now, const OutsideAnswer& answer) {
    for (auto& [name, provider] : providers_) {
        const std::string* const of = provider.attempts.of(answer.number);
        if (of == nullptr) {
            continue;
        }
        const std::string what = *of;
        Answered answered{.provider = name};
        if (const auto* const failed = std::get_if<CallFailed>(&answer.result)) {
            provider.attempts.failed(now, what, failed->why);
            ++failures_;
        } else if (const auto* const listed = std::get_if<NodesListed>(&answer.result);
                   listed != nullptr && what == of_listing) {
            provider.listing.nodes.clear();
            for (const ProvidedNode& node : listed->nodes) {
                provider.listing.nodes.emplace(node.node, node);
            }
            ++provider.listing.number;
            provider.attempts.succeeded(what, now);
            answered.listed = true;
        } else if (const auto* const granted = std::get_if<NodesGranted>(&answer.result);
                   granted != nullptr && what.starts_with(of_request)) {
            answered.granted_of = what.substr(of_request.size());
            answered.granted = granted->count;
            provider.attempts.succeeded(what, now + answered_again_after);
            provider.listed_at.reset();  // Its nodes are named, before their agents come.
        } else if (std::holds_alternative<NodeRemoved>(answer.result) &&
                   what.starts_with(of_removal)) {
            provider.attempts.succeeded(what, now + answered_again_after);
        } else {
            provider.attempts.failed(now, what, "it gave another answer");
            ++failures_;
        }
        return answered;
    }
    return std::nullopt;
}

void Providers::call(Instant now, const Wanted& wanted, std::uint64_t& last_call,
                     std::vector<OutsideCall>& calls) {
    const auto found = providers_.find(wanted.provider);
    if (found == providers_.end()) {
        return;
    }
    Provider& provider = found->second;
    if (!wanted.is_used) {
        provider = {};
        return;
    }
    provider.interval = wanted.is_waiting ? listed_while_waiting : listed_at_rest;
    const auto begin = [&](const std::string& what, auto&& call) {
        provider.attempts.begin(what, ++last_call);
        calls.push_back({last_call, wanted.provider, call});
    };
    provider.attempts.forget_unless([&](const std::string& what) {
        return what == of_listing ||
               (what.starts_with(of_request)
                    ? wanted.requests.contains(what.substr(of_request.size()))
                    : wanted.removals.contains(what.substr(of_removal.size())));
    });
    const auto begin_all = [&](std::string_view kind, const auto& calls_of_kind) {
        for (const auto& [of, one] : calls_of_kind) {
            if (provider.attempts.under_way() >= calls_at_once) {
                return;
            }
            if (const auto what = key(kind, of); provider.attempts.may_begin(now, what)) {
                begin(what, one);
            }
        }
    };
    begin_all(of_request, wanted.requests);
    begin_all(of_removal, wanted.removals);
    // One that failed is repeated earlier: as soon as its attempts may begin again.
    const bool is_due = !provider.listed_at || !provider.attempts.why_failed(of_listing).empty() ||
                        now >= *provider.listed_at + provider.interval;
    if (is_due && provider.attempts.may_begin(now, of_listing)) {
        provider.listed_at = now;
        begin(of_listing, ListNodes{});
    }
}

void Providers::rest() {
    for (auto& [name, provider] : providers_) {
        provider = {};
    }
}

std::optional<Instant> Providers::next_deadline() const {
    std::optional<Instant> first;
    const auto note = [&](std::optional<Instant> at) {
        first = first && at ? std::min(*first, *at) : (first ? first : at);
    };
    for (const auto& [name, provider] : providers_) {
        note(provider.attempts.next_deadline());
        if (provider.listed_at && !provider.attempts.is_under_way(of_listing) &&
            provider.attempts.why_failed(of_listing).empty()) {
            note(*provider.listed_at + provider.interval);
        }
    }
    return first;
}

}  // namespace muster::coordinator
