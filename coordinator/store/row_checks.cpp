#include "coordinator/store/row_checks.hpp"

#include <algorithm>
#include <cstdint>

#include "common/base/number.hpp"
#include "common/base/result.hpp"
#include "coordinator/core/ledger/cluster_limits.hpp"
#include "coordinator/core/workload/order_proofs.hpp"

namespace muster::coordinator::rows {

namespace {

/// Columns are signed, but numbers only grow from 0.
template <class N>
std::optional<std::string> fault_of_number(std::string_view what, N number) {
    const auto value = static_cast<std::int64_t>(raw(number));
    return value < 0 ? std::optional{std::string{what} + " is " + std::to_string(value)}
                     : std::nullopt;
}

std::optional<std::string> fault_of_name(const std::string& name) {
    return is_valid_name(name) ? std::nullopt
                               : std::optional<std::string>{"it is not a valid name"};
}

using Fault = std::optional<std::string>;

Fault first(Fault one) { return one; }
Fault first(Fault one, auto... more) { return one ? one : first(std::move(more)...); }

template <class Row>
void find_in(std::string_view table, const std::vector<Row>& rows, auto judge,
             std::vector<std::string>& faults) {
    for (const Row& row : rows) {
        if (const Fault fault = judge(row)) {
            faults.push_back(std::string{table} + ", row " + in_quotes(key_of(row)) + ": " +
                             *fault);
        }
    }
}

}  // namespace

Fault fault_of(const Meta& row) {
    return first(fault_of_number("epoch", row.epoch), fault_of_number("counter", row.counter),
                 fault_of_number("request_horizon", row.request_horizon));
}

Fault fault_of(const StoredTask& row, Generation counter) {
    const Fault negative = first(fault_of_number("generation", row.generation),
                                 fault_of_number("created", row.created));
    if (negative) {
        return negative;
    }
    if (row.generation > counter) {
        return "generation is " + std::to_string(raw(row.generation)) +
               ", above the counter of changes, " + std::to_string(raw(counter));
    }
    return row.created > row.generation
               ? Fault{"created is " + std::to_string(raw(row.created)) + ", above generation, " +
                       std::to_string(raw(row.generation))}
               : std::nullopt;
}

// An agent chooses its incarnation, so all values are valid.
Fault fault_of(const StoredNode& row) { return fault_of_name(row.name); }

Fault fault_of(const StoredIntent& row) {
    return first(fault_of_name(row.name), row.pool.empty() ? Fault{} : fault_of_name(row.pool),
                 fault_of_number("since", row.since), fault_of_number("deadline", row.deadline));
}

Fault fault_of(const StoredSetting& row) {
    if (row.name == ProofRule::setting) {
        return row.value == proof_rule_text(proof_rule_from(row.value))
                   ? std::nullopt
                   : Fault{"its value " + in_quotes(row.value) + " is not a rule about proofs"};
    }
    if (std::ranges::find(cluster_limits, row.name, &ClusterLimit::name) == cluster_limits.end()) {
        return "there is no such setting";
    }
    return row.value == limit_text(limit_from(row.value))
               ? std::nullopt
               : Fault{"its value " + in_quotes(row.value) + " is not a limit"};
}

Fault fault_of(const StoredFreeze& row) { return fault_of_number("since", row.since); }

std::vector<std::string> find_faults(const StoreImage& image) {
    std::vector<std::string> faults;
    if (const Fault fault = fault_of(image.meta)) {
        faults.push_back("table meta: " + *fault);
    }
    const auto judge = [](const auto& row) { return fault_of(row); };
    find_in(
        "table tasks", image.tasks,
        [&](const StoredTask& row) { return fault_of(row, image.meta.counter); }, faults);
    find_in("table nodes", image.nodes, judge, faults);
    find_in("table intents", image.intents, judge, faults);
    find_in("table settings", image.settings, judge, faults);
    find_in("table freeze", image.freeze, judge, faults);
    return faults;
}

}  // namespace muster::coordinator::rows
