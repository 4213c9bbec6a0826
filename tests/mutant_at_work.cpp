// The build with deliberate bugs: MUSTER_MUTANT names the bug that is active in a test program.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sim/mutants/mutants.hpp"

namespace {

bool put_named_to_work() {
    const char* const name = std::getenv("MUSTER_MUTANT");
    if (name == nullptr) {
        return false;
    }
    const auto all = muster::sim::mutants();
    const auto found = std::ranges::find(all, std::string_view{name}, &muster::sim::Mutant::name);
    if (found == all.end()) {
        std::fprintf(stderr, "MUSTER_MUTANT: '%s' is not a mutant of this program\n", name);
        std::_Exit(2);
    }
    muster::sim::activate(&*found);
    return true;
}

// This runs before the tests begin, because tests may change the environment.
[[maybe_unused]] const bool is_mutated = put_named_to_work();

}  // namespace
