#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/pools/forecast/forecast.hpp"
#include "coordinator/core/scaling/attempts.hpp"

namespace muster::coordinator {

/// Predictors that are programs: each pool is asked about every ten seconds. An answer counts for
/// a minute. Without one the demand counts as it is.
class AskedPredictors {
public:
    static constexpr Duration asked_every = 10s;
    static constexpr Duration counts_for = 1min;

    void ask(Instant now, const std::string& pool, const std::string& predictor,
             const Forecast& forecast, std::uint64_t& last_call, std::vector<OutsideCall>& calls) {
        const auto known = answers_.find(pool);
        const bool is_due = known == answers_.end() || now >= known->second.at + asked_every;
        if (is_due && attempts_.may_begin(now, pool)) {
            attempts_.begin(pool, ++last_call);
            const auto& recent = forecast.recent();
            calls.push_back(
                {last_call, predictor, PredictNeed{pool, {recent.begin(), recent.end()}}});
        }
    }
    /// The pool that the answer is about. Nothing: it belongs to another call.
    std::optional<std::string> on_answer(Instant now, const OutsideAnswer& answer) {
        const std::string* const of = attempts_.of(answer.number);
        if (of == nullptr) {
            return std::nullopt;
        }
        std::string pool = *of;
        if (const auto* const predicted = std::get_if<NeedPredicted>(&answer.result)) {
            answers_[pool] = {std::min(predicted->amount, most_amount), now};
            attempts_.succeeded(pool, now);
        } else {
            const auto* const failed = std::get_if<CallFailed>(&answer.result);
            attempts_.failed(now, pool, failed == nullptr ? "it gave another answer" : failed->why);
        }
        return pool;
    }
    /// Nothing: there is no answer that still counts.
    [[nodiscard]] std::optional<Amount> predicted(Instant now, const std::string& pool) const {
        const auto known = answers_.find(pool);
        const bool counts = known != answers_.end() && now < known->second.at + counts_for;
        return counts ? std::optional{known->second.amount} : std::nullopt;
    }
    [[nodiscard]] std::string trouble(const std::string& pool) const {
        return attempts_.why_failed(pool);
    }
    void forget(const std::string& pool) {
        answers_.erase(pool);
        attempts_.forget_unless([&](const std::string& other) { return other != pool; });
    }

private:
    friend struct CoreFields;

    struct Answer {
        Amount amount = 0;
        Instant at{};
    };

    Attempts attempts_;
    std::map<std::string, Answer> answers_;
};

}  // namespace muster::coordinator
