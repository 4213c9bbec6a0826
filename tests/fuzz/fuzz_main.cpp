#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/targets.hpp"

// libFuzzer calls one of the targets; the build names it.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    muster::fuzz::MUSTER_FUZZ_RUN({reinterpret_cast<const char*>(data), size});
    return 0;
}

// The limits of every run. They precede the command line, which therefore overrides them.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    static std::string length = "-max_len=" + std::to_string(MUSTER_FUZZ_BYTES);
    static std::string time = "-timeout=20";  // Seconds for one input, on a busy machine.
    static std::string memory = "-rss_limit_mb=2048";
    static std::vector<char*> all{(*arguments)[0], length.data(), time.data(), memory.data()};
    all.insert(all.end(), *arguments + 1, *arguments + *count);
    *count = static_cast<int>(all.size());
    all.push_back(nullptr);
    *arguments = all.data();
    return 0;
}
