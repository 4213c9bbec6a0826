#pragma once

#include <map>
#include <string>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// L5: a drain ends, or says what is in its way, by its deadline. A coordinator that does not run
/// says nothing; one that leads says it within a few terms. What began before its clock jumped is
/// not judged.
class Drains : public Checker {
public:
    void see(Instant now, const LeadershipBegan& began);
    void see(Instant now, const Committed& committed);
    void see(Instant now, const StoreReplaced& replaced);
    void see(Instant now, const CivilTold& told);
    void see(Instant now, const EventPublished& published);

private:
    struct Drain {
        CivilMs deadline{};
        bool told =
            false;      ///< In this leadership, that it is overdue and why; or it is not judged.
        int terms = 0;  ///< That closed since the deadline, one an instant.
        Instant counted{};  ///< When the last of them did.
    };

    void take(const coordinator::StoreImage& image);
    void close_term(Instant now);

    Duration ahead_{};                     ///< The coordinator's clock.
    std::map<std::string, Drain> drains_;  ///< Those with a deadline.
};

}  // namespace muster::sim
