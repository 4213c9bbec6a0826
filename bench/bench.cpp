#include "bench/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fnmatch.h>
#include <malloc.h>

#include "common/base/process.hpp"

namespace muster::bench {

namespace {

bool smoke = false;  // Global, because sizes are needed where there is no suite.

double ms_of(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// Four significant digits of small numbers, whole large numbers.
std::string rounded(double value) {
    const int decimals = value >= 1000 ? 0 : value >= 10 ? 2 : value >= 0.01 ? 4 : 7;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

}  // namespace

bool is_smoke() { return smoke; }

double cpu_ms() { return ms_of(CLOCK_PROCESS_CPUTIME_ID); }

double wall_ms() { return ms_of(CLOCK_MONOTONIC); }

std::size_t allocated_bytes() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const auto middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string program_beside(std::string_view name) {
    return std::filesystem::read_symlink("/proc/self/exe").replace_filename(name).string();
}

Suite::Suite(int argc, char** argv) {
    keep_freed_memory();  // As the coordinator does.
    for (int i = 1; i < argc; ++i) {
        if (std::string_view{argv[i]} == "--list") {
            list_ = true;
        } else if (std::string_view{argv[i]} == "--smoke") {
            smoke = true;
        } else {
            patterns_.emplace_back(argv[i]);
        }
    }
}

bool Suite::begins(std::string_view name) {
    const std::string text{name};
    const auto matches = [&](const std::string& pattern) {
        return fnmatch(('*' + pattern + '*').c_str(), text.c_str(), 0) == 0;
    };
    if (!patterns_.empty() && std::none_of(patterns_.begin(), patterns_.end(), matches)) {
        return false;
    }
    if (list_) {
        std::puts(text.c_str());
        return false;
    }
    std::fprintf(stderr, "%s ...\n", text.c_str());
    return true;
}

void Suite::print(std::string_view name, const Figure& figure) {
    const std::string text{name};
    std::printf(R"({"name":"%s","value":%s,"unit":"%s")", text.c_str(),
                rounded(figure.value).c_str(), figure.unit.c_str());
    if (figure.floor && *figure.floor > 0) {
        std::printf(R"(,"floor":%s,"ratio":%s)", rounded(*figure.floor).c_str(),
                    rounded(figure.value / *figure.floor).c_str());
    } else {
        std::printf(R"(,"floor":null,"ratio":null)");
    }
    if (!figure.goal.empty()) {
        std::printf(R"(,"goal":"%s")", figure.goal.c_str());
    }
    for (const auto& [what, value] : figure.more) {
        std::printf(R"(,"%s":%s)", what.c_str(), rounded(value).c_str());
    }
    if (smoke) {
        std::printf(R"(,"smoke":true)");
    }
    std::puts("}");
    std::fflush(stdout);
}

}  // namespace muster::bench
