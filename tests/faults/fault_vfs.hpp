#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/random.hpp"

namespace muster::faults {

/// A fault of one operation on a file: opening it for writing, a write, a truncation, a sync or a
/// removal.
struct FileFault {
    enum class Kind : std::uint8_t {
        io_error,     ///< EIO without an effect.
        full,         ///< ENOSPC without an effect.
        short_write,  ///< Half of a write, then EIO. Other operations have no effect.
        kill,         ///< The process is killed before the operation.
        torn_kill,    ///< The process is killed during the operation, after half of a write.
    };
    Kind kind{};
    std::uint64_t at = 0;  ///< The number of the operation, from 1, counted over all files.
    bool lasts = false;    ///< All later operations fail, too.
};

/// A layer below SQLite for all its files. It counts write operations, makes them fail on demand,
/// and models the contents that a loss of power leaves.
///
/// A process has one. Several threads can use it at the same time.
class FaultVfs {
public:
    /// All databases are opened through it from now on.
    static FaultVfs& install();

    /// Restarts the count at zero; no fault: nothing fails.
    void arm(std::optional<FileFault> fault);
    [[nodiscard]] std::uint64_t operations() const;
    [[nodiscard]] bool has_fired() const;

    /// From now on a sync does not reach the disk, which is fast. Unsynced changes are recorded.
    void model_power();
    /// Writes to `to` what the files of `from` might hold after a loss of power now. An unsynced
    /// write is there in full, not at all, or with its first sectors.
    void lose_power(Random& random, const std::string& from, const std::string& to) const;

    FaultVfs(const FaultVfs&) = delete;
    FaultVfs& operator=(const FaultVfs&) = delete;

private:
    FaultVfs() = default;
    ~FaultVfs() = default;
};

}  // namespace muster::faults
