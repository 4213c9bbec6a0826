#include "common/base/ensure.hpp"

#include <cstdio>
#include <cstdlib>

namespace muster {

void broken_invariant(const char* what, const char* file, int line) {
    std::fprintf(stderr, "muster: broken invariant: %s (%s:%d)\n", what, file, line);
    std::abort();
}

}  // namespace muster
