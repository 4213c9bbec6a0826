#include "tests/faults/written_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

#include "tests/catch.hpp"

#include "tests/faults/fault_vfs.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::faults {
namespace {

// The test makes thousands of stores. The layer models the loss of power, so the files can be in
// memory.
const bool is_in_memory = access("/dev/shm", W_OK) == 0 && setenv("TMPDIR", "/dev/shm", 1) == 0;

constexpr int power_losses = 12;

/// A directory for the files.
class Place {
public:
    Place() { std::filesystem::create_directory(path()); }
    [[nodiscard]] std::string path() const { return directory_.path() + "/state"; }

private:
    TemporaryDirectory directory_;
};

}  // namespace

std::size_t fail_each_operation(const WrittenFile& file) {
    using Kind = FileFault::Kind;
    FaultVfs& vfs = FaultVfs::install();
    std::size_t cases = 0;
    for (const auto kind : {Kind::io_error, Kind::full, Kind::short_write}) {
        for (const bool lasts : {false, true}) {
            for (std::uint64_t at = 1;; ++at) {
                CAPTURE(static_cast<int>(kind), lasts, at);
                const Place place;
                vfs.model_power();
                vfs.arm(FileFault{.kind = kind, .at = at, .lasts = lasts});
                const Lived lived = file.live(place.path());
                const bool fired = vfs.has_fired();
                vfs.arm({});
                file.check(place.path(), lived);
                if (!fired) {
                    CHECK(lived.acknowledged == persists);
                    break;
                }
                ++cases;
            }
        }
    }
    return cases;
}

std::size_t lose_power_at_each_operation(const WrittenFile& file, Random random) {
    FaultVfs& vfs = FaultVfs::install();
    std::size_t cases = 0;
    bool fired = true;
    for (std::uint64_t at = 1; fired; ++at) {
        const Place place;
        vfs.model_power();
        vfs.arm(FileFault{.kind = FileFault::Kind::io_error, .at = at, .lasts = true});
        const Lived lived = file.live(place.path());
        fired = vfs.has_fired();
        vfs.arm({});
        for (int time = 0; time < power_losses; ++time) {
            CAPTURE(at, time);
            const Place after;
            vfs.lose_power(random, place.path(), after.path());
            file.check(after.path(), lived);
            ++cases;
        }
    }
    return cases;
}

}  // namespace muster::faults
