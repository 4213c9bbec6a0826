// Version 2 of Catch has its listeners behind this; it is this file's own, so no unit includes it.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <iostream>
#include <optional>

#include "tests/catch.hpp"

#include "tests/integration/support/pace.hpp"
#include "tests/integration/support/witness.hpp"

namespace muster::integration {

namespace {

#if __has_include(<catch2/catch_all.hpp>)
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

/// Says of a failed test that the machine stalled during it. scripts/test reads this line and runs
/// the test again, alone.
class SaysInconclusive : public Listener {
public:
    using Listener::Listener;

    void testCaseStarting(const Catch::TestCaseInfo& test) override {
        Listener::testCaseStarting(test);
        witness_.emplace();
    }

    void testCaseEnded(const Catch::TestCaseStats& ended) override {
        const auto stalled = witness_->longest_oversleep();
        witness_.reset();
        if (ended.totals.assertions.failed > 0 && is_inconclusive(stalled, pace())) {
            std::cout << "INCONCLUSIVE: this machine kept a thread waiting for " << stalled.count()
                      << " ms, more than a third of a pace of " << pace().count() << " ms"
                      << std::endl;
        }
        Listener::testCaseEnded(ended);
    }

private:
    std::optional<Witness> witness_;
};

CATCH_REGISTER_LISTENER(SaysInconclusive)

}  // namespace

}  // namespace muster::integration
