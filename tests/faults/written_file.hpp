#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "common/base/random.hpp"

/// A file that is written through the failures of what is below SQLite (FaultVfs).
namespace muster::faults {

inline constexpr std::uint64_t persists = 12;

struct Lived {
    std::uint64_t acknowledged = 0;
    std::uint64_t submitted = 0;
    std::string failure;
};

struct WrittenFile {
    /// Makes as many changes durable, one after the other, until one cannot be; in files below a
    /// directory that is there.
    std::function<Lived(const std::string& directory)> live;
    /// What was acknowledged is there, and no half of a change.
    std::function<void(const std::string& directory, const Lived& lived)> check;
};

/// Each operation on the files fails in each way, once or for good; then it is checked. How often.
std::size_t fail_each_operation(const WrittenFile& file);

/// The power goes at each operation, several times: what was not synced is there or is not.
std::size_t lose_power_at_each_operation(const WrittenFile& file, Random random);

}  // namespace muster::faults
