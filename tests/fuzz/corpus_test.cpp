// Every kept input: those with unique coverage, and former failures (`found-...`). A failed check
// of a target ends the program.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "tests/fuzz/targets.hpp"

namespace muster {
namespace {

const std::filesystem::path corpora{MUSTER_SOURCE_DIR "/tests/fuzz/corpus"};

std::string bytes_of_file(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    REQUIRE(file);
    return {std::istreambuf_iterator<char>{file}, {}};
}

void run_all(const std::string& target, void (*run)(std::string_view)) {
    run("");
    std::size_t inputs = 0;
    for (const auto& entry : std::filesystem::directory_iterator{corpora / target}) {
        const std::string bytes = bytes_of_file(entry.path());
        UNSCOPED_INFO(entry.path().string());
        run(bytes);
        ++inputs;
    }
    CHECK(inputs > 0);
}

}  // namespace

#define MUSTER_FUZZ_TARGET(name, most_bytes)                                        \
    TEST_CASE("the corpus of " #name " is processed without a failure", "[fuzz]") { \
        run_all(#name, fuzz::fuzz_##name);                                          \
    }
#include "tests/fuzz/targets.def"
#undef MUSTER_FUZZ_TARGET

TEST_CASE("every corpus belongs to a target, and all inputs are small", "[fuzz]") {
    const std::vector<std::string> targets{
#define MUSTER_FUZZ_TARGET(name, most_bytes) #name,
#include "tests/fuzz/targets.def"
#undef MUSTER_FUZZ_TARGET
    };
    std::size_t files = 0;
    std::size_t bytes = 0;
    for (const auto& directory : std::filesystem::directory_iterator{corpora}) {
        CHECK(std::ranges::count(targets, directory.path().filename().string()) == 1);
        for (const auto& file : std::filesystem::directory_iterator{directory}) {
            ++files;
            bytes += file.file_size();
        }
    }
    CHECK(files < 1'000);
    CHECK(bytes < 300'000);
}

}  // namespace muster
