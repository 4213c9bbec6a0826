#include "tests/unit/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t asked_for = 0;

}  // namespace

// The global operator new of the test program, replaced as the standard allows. The forms for
// arrays end here too.
void* operator new(std::size_t size) {
    asked_for += size;
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace muster::allocations {

std::size_t bytes_so_far() { return asked_for; }

}  // namespace muster::allocations
