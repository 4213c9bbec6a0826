#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/random.hpp"

namespace muster::faults {

/// What goes wrong with one operation on a file: opening it for writing, a write, a truncation, a
/// sync, a removal.
struct FileFault {
    enum class Kind : std::uint8_t {
        io_error,     ///< EIO, and nothing is done.
        full,         ///< ENOSPC, likewise.
        short_write,  ///< Half of a write is done, then EIO; of all else nothing.
        kill,         ///< The process is killed before it.
        torn_kill,    ///< It is killed amid it: half of a write is done.
    };
    Kind kind{};
    std::uint64_t at = 0;  ///< Which one, from 1; those of all files are counted together.
    bool lasts = false;    ///< All after it fail, too.
};

/// A layer below SQLite through which all its files go: it counts what is written, fails on order,
/// and knows what a loss of power would leave.
///
/// There is one in a process; threads may use it at the same time.
class FaultVfs {
public:
    /// From now on all databases are opened through it.
    static FaultVfs& install();

    /// Counts anew; nothing: nothing fails.
    void arm(std::optional<FileFault> fault);
    [[nodiscard]] std::uint64_t operations() const;
    [[nodiscard]] bool has_fired() const;

    /// From now on nothing is synced in truth, which is fast, and what was not is remembered.
    void model_power();
    /// What might be found in the files of `from` after the power is gone now: of each write that
    /// was not synced, all, nothing, or its first sectors.
    void lose_power(Random& random, const std::string& from, const std::string& to) const;

    FaultVfs(const FaultVfs&) = delete;
    FaultVfs& operator=(const FaultVfs&) = delete;

private:
    FaultVfs() = default;
    ~FaultVfs() = default;
};

}  // namespace muster::faults
