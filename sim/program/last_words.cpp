#include "sim/program/last_words.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <unistd.h>

namespace muster::sim {
namespace {

// Everything that the handler uses: it may run while anything else is broken.
struct LastWords {
    std::array<char, 8'192> text{};  // A path has at most half of this.
    std::size_t size = 0;
    int code = 0;
};

LastWords final_words;

void print_last_words(int /*signal*/) {
    static_cast<void>(write(STDERR_FILENO, final_words.text.data(), final_words.size) == 0);
    _exit(final_words.code);
}

}  // namespace

void set_crash_message(std::string_view words, int code) {
    words = words.substr(0, final_words.text.size());
    std::ranges::copy(words, final_words.text.begin());
    final_words.size = words.size();
    if (final_words.code == 0) {
        for (const int deadly : {SIGABRT, SIGBUS, SIGFPE, SIGSEGV}) {
            static_cast<void>(std::signal(deadly, print_last_words));
        }
    }
    final_words.code = code;
}

}  // namespace muster::sim
