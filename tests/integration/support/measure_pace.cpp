#include <cstdio>

#include "tests/integration/support/pace.hpp"

// For scripts/test, which passes it to all tests of a run.
int main() {
    std::printf("%lld\n", static_cast<long long>(muster::integration::measured_pace().count()));
}
