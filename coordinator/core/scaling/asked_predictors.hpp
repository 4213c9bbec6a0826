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

/// Predictors that are programs: each is asked about a pool every ten seconds. An answer counts for
/// a minute.
class AskedPredictors {
public:
    static constexpr Duration asked_every = 10s;
    static constexpr Duration counts_for = 1min;

    void ask(Instant now, const std::string& pool, const std::string& predictor,
             const Forecast& forecast, std::uint64_t& last_call, std::vector<OutsideCall>& calls) {
        const std::string key = key_of(pool, predictor);
        const auto known = answers_.find(key);
        const bool is_due = known == answers_.end() || now >= known->second.at + asked_every;
        if (is_due && attempts_.may_begin(now, key)) {
            attempts_.begin(key, ++last_call);
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
        const std::string key = *of;
        if (const auto* const predicted = std::get_if<NeedPredicted>(&answer.result)) {
            answers_[key] = {std::min(predicted->amount, most_amount), now};
            attempts_.succeeded(key, now);
        } else {
            const auto* const failed = std::get_if<CallFailed>(&answer.result);
            attempts_.failed(now, key, failed == nullptr ? "it gave another answer" : failed->why);
        }
        return key.substr(0, key.find(' '));
    }
    /// Nothing: there is no answer that still counts.
    [[nodiscard]] std::optional<Amount> predicted(Instant now, const std::string& pool,
                                                  const std::string& predictor) const {
        const auto known = answers_.find(key_of(pool, predictor));
        const bool counts = known != answers_.end() && now < known->second.at + counts_for;
        return counts ? std::optional{known->second.amount} : std::nullopt;
    }
    [[nodiscard]] std::string trouble(const std::string& pool, const std::string& predictor) const {
        return attempts_.why_failed(key_of(pool, predictor));
    }
    /// Forgets the predictors of the pool that do not stay.
    void forget_unless(const std::string& pool, auto&& stays) {
        const auto is_over = [&](const std::string& key) {
            return key.starts_with(pool + ' ') && !stays(key.substr(pool.size() + 1));
        };
        std::erase_if(answers_, [&](const auto& answer) { return is_over(answer.first); });
        attempts_.forget_unless([&](const std::string& key) { return !is_over(key); });
    }

private:
    friend struct CoreFields;

    // Names have no spaces.
    static std::string key_of(const std::string& pool, const std::string& predictor) {
        return pool + ' ' + predictor;
    }

    struct Answer {
        Amount amount = 0;
        Instant at{};
    };

    Attempts attempts_;
    std::map<std::string, Answer> answers_;
};

}  // namespace muster::coordinator
