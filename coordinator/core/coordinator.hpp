#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

class Listing;
class Rooms;

/// All decisions of the leader: which nodes exist, what is wanted, what is reported, what to order.
///
///     message or request -> state -> plan -> commands, polls, persist, replies, events
///
/// A leadership begins with an image whose `meta` already holds its epoch and leader id, written by
/// the store in the transaction that won it. Before and after it the coordinator may stand by.
class Coordinator {
public:
    Coordinator(Instant now, CoordinatorOptions options, const StoreImage& image);
    ~Coordinator();
    Coordinator(const Coordinator&) = delete;
    Coordinator& operator=(const Coordinator&) = delete;

    [[nodiscard]] Output step(Instant now, const Input& input);

    /// From now on this coordinator stands by: it answers what is read, from what it knows, and
    /// does nothing else.
    void stand_by() { stands_by_ = true; }
    /// What it knows while it stands by: the store as it is now.
    void follow(Instant now, const StoreImage& image);
    /// The next leadership, as at construction.
    void lead(Instant now, const StoreImage& image);

    /// Adds some rows to a list. False: the list is complete. This changes no state, so it is not a
    /// step.
    [[nodiscard]] bool go_on(Instant now, Listing& list) const;

    /// When step() wants to be called next, if no input comes earlier.
    [[nodiscard]] Instant next_deadline() const;

    /// Whether the caller may send this request: the same answer as in a step, for what the shell
    /// answers itself.
    [[nodiscard]] Result<void> may_send(Instant now, const Caller& caller,
                                        const RequestBody& request) const;
    /// The caller uses a new key for the first time: a KeyRenewRequest with this key, in its name,
    /// retires the one before.
    [[nodiscard]] bool is_first_use(const Caller& caller) const;
    /// The keys that may connect as agents, or as operators, in order. They are the same as long as
    /// keys_version() is.
    [[nodiscard]] std::vector<PublicKey> admitted_keys(bool agents) const;
    [[nodiscard]] std::uint64_t keys_version() const;
    /// The holders of keys that may read now, by key. A limited one reads only of its tasks.
    struct Reader {
        std::string name;
        bool is_limited = false;

        friend bool operator==(const Reader&, const Reader&) = default;
    };
    [[nodiscard]] std::map<PublicKey, Reader> readers(Instant now) const;
    /// Whether the holder of this name may see the event.
    [[nodiscard]] bool may_see(Instant now, std::string_view name, const Event& event) const;
    /// Hosts may connect to enrol.
    [[nodiscard]] bool is_enrolment_open(Instant now) const;

    /// The zones whose offsets it needs with civil time.
    [[nodiscard]] std::vector<std::string> zones() const;

    /// A large change is not complete yet: the recorder must not record this state.
    [[nodiscard]] bool has_incomplete_change() const;

    /// The number of the last write that is durable and in effect. Orders follow only from this
    /// write and earlier ones.
    [[nodiscard]] std::uint64_t last_in_effect() const;

    /// Facts that the core keeps in two places and that differ, one sentence each: its bugs.
    [[nodiscard]] std::vector<std::string> contradictions() const;

private:
    friend struct CoreFields;

    std::unique_ptr<Rooms> rooms_;
    bool stands_by_ = false;
};

}  // namespace muster::coordinator
