#include "tests/unit/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t asked_for = 0;

}  // namespace

// The test program replaces the global operator new, as the standard allows. Both forms that the
// library calls are replaced: with a sanitizer one does not call the other.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    asked_for += size;
    return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
    if (void* const memory = operator new(size, std::nothrow)) {
        return memory;
    }
    throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace muster::allocations {

std::size_t bytes_so_far() { return asked_for; }

}  // namespace muster::allocations
