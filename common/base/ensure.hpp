#pragma once

namespace muster {

/// Ends the process with one line on stderr that says what was wrong and where.
[[noreturn]] void broken_invariant(const char* what, const char* file, int line);

/// States what is true unless we have a bug; on in every build. Faults that a peer, an operator or
/// the kernel can cause are a Result, never this.
constexpr void ensure(bool holds, const char* what, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
    if (!holds) {
        broken_invariant(what, file, line);
    }
}

}  // namespace muster
