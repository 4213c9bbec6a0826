#include "agent/exec/log_reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "agent/shim/log_file.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/fnv.hpp"
#include "common/base/limits.hpp"

namespace muster::agent {

namespace {

// A rotation between the two openings shows one file twice. Each rotation needs a full file.
constexpr int most_attempts = 3;

struct OpenLog {
    FileDescriptor file;
    FileDescriptor times;
    std::uint64_t inode = 0;
    std::uint64_t bytes = 0;
    std::uint64_t id = 0;
};

FileDescriptor open_to_read(const std::string& path) {
    return FileDescriptor{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
}

// The file system reuses an inode, but not together with its birth time.
std::uint64_t id_of(const struct statx& status) {
    const std::array<std::uint64_t, 3> parts{status.stx_ino,
                                             static_cast<std::uint64_t>(status.stx_btime.tv_sec),
                                             status.stx_btime.tv_nsec};
    Fnv fnv;
    for (const std::uint64_t part : parts) {
        fnv.number(part);
    }
    constexpr std::uint64_t below_2_53 = (std::uint64_t{1} << 53U) - 1;
    return std::max<std::uint64_t>(fnv.digest().high & below_2_53, 1);
}

Result<std::optional<OpenLog>> open_log(const std::string& path) {
    OpenLog log{.file = open_to_read(path), .times = open_to_read(path + ".times")};
    struct statx status {};
    const bool is_read = log.file.is_open() && statx(log.file.get(), "", AT_EMPTY_PATH,
                                                     STATX_BASIC_STATS | STATX_BTIME, &status) == 0;
    if (!is_read && errno == ENOENT) {
        return std::optional<OpenLog>{};
    }
    if (!is_read || !S_ISREG(status.stx_mode)) {
        return fail(Errc::io,
                    path + ": " + (is_read ? "is not a regular file" : std::strerror(errno)));
    }
    log.inode = status.stx_ino;
    log.bytes = status.stx_size;
    log.id = id_of(status);
    return std::optional{std::move(log)};
}

// The older file comes first.
Result<std::vector<OpenLog>> open_logs(const std::string& path) {
    for (int attempt = 1;; ++attempt) {
        auto younger = open_log(path);
        auto older = open_log(path + ".1");
        if (!younger) {
            return tl::unexpected{younger.error()};
        }
        if (!older) {
            older.emplace();  // An unreadable older file does not hide the younger one.
        }
        const bool is_same = *younger && *older && (*younger)->inode == (*older)->inode;
        if (is_same && attempt < most_attempts) {
            continue;
        }
        std::vector<OpenLog> logs;
        if (*older) {
            logs.push_back(*std::move(*older));
        }
        if (*younger && !is_same) {
            logs.push_back(*std::move(*younger));
        }
        return logs;
    }
}

std::optional<shim::Moment> moment_at(const OpenLog& log, std::uint64_t index) {
    shim::Moment moment{};
    const auto at = static_cast<off_t>(index * sizeof moment);
    const bool is_there = pread(log.times.get(), &moment, sizeof moment, at) == sizeof moment;
    return is_there ? std::optional{moment} : std::nullopt;
}

// The offset of the text that was written since then. Without an index: the beginning.
std::uint64_t written_since(const OpenLog& log, std::uint64_t civil_ms) {
    struct stat status {};
    if (!log.times.is_open() || fstat(log.times.get(), &status) != 0) {
        return 0;
    }
    const auto count = static_cast<std::uint64_t>(status.st_size) / sizeof(shim::Moment);
    std::uint64_t first = 0;
    std::uint64_t end = count;
    while (first < end) {
        const std::uint64_t middle = first + (end - first) / 2;
        const auto moment = moment_at(log, middle);
        if (moment && moment->civil_ms + shim::moments_apart_ms < civil_ms) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    const auto moment = moment_at(log, first);
    return moment ? std::min(moment->offset, log.bytes) : count == 0 ? 0 : log.bytes;
}

// Skips a line that began earlier. The rest of a very long line is kept.
std::uint64_t line_behind(const OpenLog& log, std::uint64_t offset) {
    std::array<char, 4096> text{};
    if (offset == 0) {
        return 0;
    }
    const ssize_t count =
        pread(log.file.get(), text.data(), text.size(), static_cast<off_t>(offset - 1));
    const char* const end = text.data() + std::max<ssize_t>(count, 0);
    const char* const line = std::find(static_cast<const char*>(text.data()), end, '\n');
    return line == end ? offset : offset + static_cast<std::uint64_t>(line - text.data());
}

/// A file of the log, and an offset in it.
struct Place {
    std::size_t file = 0;
    std::uint64_t offset = 0;
    bool gap = false;
};

Place start_since(const std::vector<OpenLog>& logs, std::uint64_t civil_ms) {
    for (std::size_t file = 0; file < logs.size(); ++file) {
        const std::uint64_t offset = written_since(logs[file], civil_ms);
        if (offset < logs[file].bytes) {
            return {.file = file, .offset = line_behind(logs[file], offset)};
        }
    }
    return logs.empty() ? Place{} : Place{.file = logs.size() - 1, .offset = logs.back().bytes};
}

Place start_of(const std::vector<OpenLog>& logs, const ReadLog& call, CivilMs now) {
    if (call.from.file == 0) {
        const auto civil_ms = static_cast<std::uint64_t>(raw(now));
        return call.since_ms == 0 ? Place{}
                                  : start_since(logs, civil_ms - std::min(civil_ms, call.since_ms));
    }
    for (std::size_t file = 0; file < logs.size(); ++file) {
        if (logs[file].id == call.from.file && call.from.offset <= logs[file].bytes) {
            return {.file = file, .offset = call.from.offset};
        }
    }
    return {.gap = true};
}

std::uint64_t left_behind(const std::vector<OpenLog>& logs, const Place& place) {
    std::uint64_t left = 0;
    for (std::size_t file = place.file; file < logs.size(); ++file) {
        left += logs[file].bytes;
    }
    return left - std::min(left, place.offset);
}

}  // namespace

Result<LogPiece> LogReader::read(const ReadLog& call, CivilMs now) const {
    const char* const kind = call.stream == LogStream::out ? ".out" : ".err";
    const auto logs = open_logs(directory_ + '/' + to_string(call.id) + kind);
    if (!logs) {
        return tl::unexpected{logs.error()};
    }
    LogPiece piece{.stamp = call.stamp, .next = call.from, .gap = false, .left = 0, .data = {}};
    if (logs->empty()) {
        return piece;
    }
    Place place = start_of(*logs, call, now);
    if (place.offset >= (*logs)[place.file].bytes && place.file + 1 < logs->size()) {
        place = {.file = place.file + 1, .offset = 0, .gap = place.gap};
    }
    const OpenLog& log = (*logs)[place.file];
    const std::uint32_t wanted = call.bytes == 0 ? limits::log_piece_bytes : call.bytes;
    piece.data.resize(std::min(wanted, limits::log_piece_bytes));
    const ssize_t count = pread(log.file.get(), piece.data.data(), piece.data.size(),
                                static_cast<off_t>(place.offset));
    if (count < 0) {
        return fail(Errc::io, "the log of " + to_string(call.id) + ": " + std::strerror(errno));
    }
    piece.data.resize(static_cast<std::size_t>(count));
    piece.gap = place.gap;
    const std::uint64_t all = left_behind(*logs, place);
    const auto line = piece.data.rfind('\n');
    if (all > piece.data.size() && line != std::string::npos) {
        piece.data.resize(line + 1);
    }
    piece.left = all - std::min<std::uint64_t>(all, piece.data.size());
    piece.next = {.file = log.id, .offset = place.offset + piece.data.size()};
    return piece;
}

}  // namespace muster::agent
