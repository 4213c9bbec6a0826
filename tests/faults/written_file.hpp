#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "common/base/random.hpp"

/// A file that is written through an SQLite layer with faults (FaultVfs).
namespace muster::faults {

inline constexpr std::uint64_t persists = 12;

struct Lived {
    std::uint64_t acknowledged = 0;
    std::uint64_t submitted = 0;
    std::string failure;
};

struct WrittenFile {
    /// Makes up to `persists` changes durable, one after the other, until one fails. The files are
    /// in an existing directory.
    std::function<Lived(const std::string& directory)> live;
    /// Checks that acknowledged changes are there, and that no change is there in part.
    std::function<void(const std::string& directory, const Lived& lived)> check;
};

/// Makes each operation on the files fail in each way, once or for good, and checks the file.
/// Returns the number of trials.
std::size_t fail_each_operation(const WrittenFile& file);

/// Loses the power at each operation, several times, with different unsynced writes lost.
std::size_t lose_power_at_each_operation(const WrittenFile& file, Random random);

}  // namespace muster::faults
