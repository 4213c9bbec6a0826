#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Shared by all benchmark programs: which benchmarks to run, how to measure, how to print figures.
///
///     int main(int argc, char** argv) {
///         muster::bench::Suite suite{argc, argv};
///         suite.run("plan.steady.1000x100000", [] { return muster::bench::Figure{...}; });
///     }
///
/// A program takes patterns as arguments and runs the benchmarks that match one of them: a glob, or
/// a part of the name. Without a pattern it runs all; `--list` only lists them. It prints one JSON
/// object per line on stdout, and progress on stderr.
///
/// With `--smoke` each benchmark runs once at its smallest size. This shows that it works; its
/// figure means nothing.
namespace muster::bench {

/// The result of a benchmark. Times in ms, memory in bytes, unless the unit says otherwise.
struct Figure {
    double value = 0;
    std::string unit = "ms";
    std::optional<double> floor;  ///< The bare work, measured in the same run.
    std::string goal{};           ///< Our goal, in that unit. Empty: none.
    std::vector<std::pair<std::string, double>> more{};  ///< Other figures, by name.
};

/// Whether this program runs with `--smoke`.
[[nodiscard]] bool is_smoke();
/// `full`, or `smallest` with `--smoke`.
template <class T>
[[nodiscard]] T sized(T full, std::type_identity_t<T> smallest) {
    return is_smoke() ? smallest : full;
}

/// CPU time of this process, all threads, since it began.
[[nodiscard]] double cpu_ms();
/// A monotonic clock.
[[nodiscard]] double wall_ms();
/// Memory that this process has from malloc, including large mapped blocks.
[[nodiscard]] std::size_t allocated_bytes();
[[nodiscard]] double median(std::vector<double> values);
/// The path of a program that was built with this one.
[[nodiscard]] std::string program_beside(std::string_view name);

/// The CPU time that `work()` takes.
template <class Work>
[[nodiscard]] double cpu_ms_of(Work&& work) {
    const double begin = cpu_ms();
    work();
    return cpu_ms() - begin;
}

/// The median of the results of `measure()`, called this many times, or once with `--smoke`.
template <class Measure>
[[nodiscard]] double median_of(int most_runs, Measure&& measure) {
    const int runs = sized(most_runs, 1);
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(runs));
    for (int i = 0; i < runs; ++i) {
        values.push_back(measure());
    }
    return median(std::move(values));
}

/// Keeps the compiler from removing work whose result is not used.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

class Suite {
public:
    Suite(int argc, char** argv);

    /// If the name is selected, runs `measure()`, which returns a Figure.
    template <class Measure>
    void run(std::string_view name, Measure&& measure) {
        if (begins(name)) {
            print(name, measure());
        }
    }

private:
    [[nodiscard]] bool begins(std::string_view name);
    void print(std::string_view name, const Figure& figure);

    std::vector<std::string> patterns_;
    bool list_ = false;
};

}  // namespace muster::bench
