// One durable change, like an operator's `task add`, from submit() to the confirmation that it is
// durable. The floor appends the same bytes and calls fdatasync; the two alternate.

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "bench/bench.hpp"
#include "bench/changes.hpp"
#include "common/base/ensure.hpp"
#include "coordinator/store/sqlite_store.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::bench {
namespace {

constexpr int runs = 5;
constexpr int commits = 100;

double append_ms(int file, const std::string& bytes) {
    const double begin = wall_ms();
    ensure(write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
               fdatasync(file) == 0,
           "the disk writes");
    return wall_ms() - begin;
}

Figure store_commit() {
    const TemporaryDirectory directory;
    const auto store =
        coordinator::SqliteStore::open(directory.path() + "/state/store.sqlite", {1, 1});
    ensure(store.has_value(), "a store");
    const auto image = (*store)->begin_leadership({2, 2});
    ensure(image.has_value(), "a leadership");
    const int file = open((directory.path() + "/append").c_str(),
                          O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    ensure(file >= 0, "a file");
    std::vector<Figure> figures;
    std::uint64_t number = 0;
    for (int run = 0; run < sized(runs, 1); ++run) {
        std::vector<double> ours;
        std::vector<double> floor;
        for (int i = 0; i < sized(commits, 2); ++i) {
            auto persist = change(++number, image->meta);
            floor.push_back(append_ms(file, bytes_of(persist)));
            ours.push_back(commit_ms(**store, std::move(persist)));
        }
        figures.push_back({.value = median(ours), .floor = median(floor)});
    }
    close(file);
    std::sort(figures.begin(), figures.end(), [](const Figure& a, const Figure& b) {
        return a.value / *a.floor < b.value / *b.floor;
    });
    return figures[figures.size() / 2];
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    muster::bench::Suite suite{argc, argv};
    suite.run("store.commit", muster::bench::store_commit);
}
