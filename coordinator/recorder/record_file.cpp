#include "coordinator/recorder/record_file.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "coordinator/recorder/bus_guard.hpp"

namespace muster::coordinator {
namespace {

constexpr std::size_t frame = 2 * sizeof(std::uint32_t);
constexpr std::size_t growth = std::size_t{4} << 20U;

static_assert(std::endian::native == std::endian::little,
              "numbers are written in the byte order of memory");

void put(char* to, std::uint32_t number) { std::memcpy(to, &number, sizeof number); }

std::uint32_t number_at(std::string_view bytes) {
    std::uint32_t number = 0;
    std::memcpy(&number, bytes.data(), sizeof number);
    return number;
}

std::uint32_t short_sum(std::string_view bytes) {
    return static_cast<std::uint32_t>(checksum_of(bytes));
}

tl::unexpected<Error> kernel_error(const std::string& path, int error) {
    return fail(Errc::io, "record file '" + path + "': " + std::strerror(error));
}

}  // namespace

// FNV-1a on eight bytes at a time. The high bits are folded down, because the low ones are used.
std::uint64_t checksum_of(std::string_view bytes) {
    constexpr std::uint64_t prime = 0x9e3779b97f4a7c15ULL;
    std::uint64_t sum = 0xcbf29ce484222325ULL ^ bytes.size();
    const auto mix = [&](std::uint64_t word) {
        sum = (sum ^ word) * prime;
        sum ^= sum >> 32U;
    };
    for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        mix(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes.data(), bytes.size());
    mix(rest);
    return sum;
}

Result<RecordFile> RecordFile::create(const std::string& path) {
    FileDescriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (!file.is_open()) {
        return kernel_error(path, errno);
    }
    RecordFile made{std::move(file), path};
    if (auto room = made.make_room(record_magic.size()); !room) {
        ::unlink(path.c_str());
        return tl::unexpected{room.error()};
    }
    if (!survives_bus_error(
            [&] { std::memcpy(made.map_, record_magic.data(), record_magic.size()); })) {
        return made.lost("was made shorter, or its disk failed");
    }
    made.used_ = record_magic.size();
    return made;
}

RecordFile::RecordFile(FileDescriptor file, std::string path)
    : file_{std::move(file)}, path_{std::move(path)} {}

RecordFile::RecordFile(RecordFile&& other) noexcept
    : file_{std::move(other.file_)},
      path_{std::move(other.path_)},
      map_{std::exchange(other.map_, nullptr)},
      mapped_{std::exchange(other.mapped_, 0)},
      used_{std::exchange(other.used_, 0)},
      last_{std::exchange(other.last_, 0)} {}

RecordFile::~RecordFile() {
    if (map_ != nullptr) {
        munmap(map_, mapped_);
        // A file that stays too long after a failure here reads the same. A truncated file stays
        // short.
        struct stat file {};
        if (fstat(file_.get(), &file) == 0 && std::cmp_greater(file.st_size, used_)) {
            static_cast<void>(ftruncate(file_.get(), static_cast<off_t>(used_)) == 0);
        }
    }
}

tl::unexpected<Error> RecordFile::lost(const char* how) const {
    return fail(Errc::io, "record file '" + path_ + "' " + how);
}

Result<void> RecordFile::check_in_place() const {
    struct stat ours {};
    struct stat there {};
    if (fstat(file_.get(), &ours) != 0) {
        return kernel_error(path_, errno);
    }
    if (stat(path_.c_str(), &there) != 0 || there.st_dev != ours.st_dev ||
        there.st_ino != ours.st_ino) {
        return lost("was removed or replaced");
    }
    bool is_there = false;  // The file may have been truncated and extended again.
    const bool is_read = survives_bus_error([&] {
        is_there = std::string_view{map_, record_magic.size()} == record_magic &&
                   (last_ == 0 || number_at({map_ + last_, frame}) != 0);
    });
    if (std::cmp_less(ours.st_size, mapped_) || !is_read || !is_there) {
        return lost("was made shorter");
    }
    return {};
}

Result<void> RecordFile::make_room(std::size_t bytes) {
    if (used_ + bytes <= mapped_) {
        return {};
    }
    const std::size_t wanted = mapped_ + std::max(growth, (bytes + growth - 1) / growth * growth);
    // Not ftruncate(): a write to a page without disk space would end the process.
    if (const int error = posix_fallocate(file_.get(), static_cast<off_t>(mapped_),
                                          static_cast<off_t>(wanted - mapped_))) {
        return kernel_error(path_, error);
    }
    void* const map =
        map_ == nullptr ? mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0)
                        : mremap(map_, mapped_, wanted, MREMAP_MAYMOVE);
    if (map == MAP_FAILED) {
        return kernel_error(path_, errno);
    }
    map_ = static_cast<char*>(map);
    mapped_ = wanted;
    return {};
}

Result<void> RecordFile::add(std::string_view record) {
    if (record.empty() || record.size() > std::numeric_limits<std::uint32_t>::max()) {
        return fail(Errc::too_large, "record file '" + path_ + "': a record has " +
                                         std::to_string(record.size()) + " bytes");
    }
    // There is always room for the size of the next record, which is 0.
    if (auto room = make_room(frame + record.size() + sizeof(std::uint32_t)); !room) {
        return room;
    }
    char* const at = map_ + used_;
    const bool is_written = survives_bus_error([&] {
        std::memcpy(at + frame, record.data(), record.size());
        put(at + sizeof(std::uint32_t), short_sum(record));
        // The size makes it a record: a process killed here leaves a whole record or none.
        std::atomic_signal_fence(std::memory_order_release);
        put(at, static_cast<std::uint32_t>(record.size()));
    });
    if (!is_written) {
        return lost("was made shorter, or its disk failed");
    }
    last_ = used_;
    used_ += frame + record.size();
    return {};
}

std::optional<std::uint32_t> version_of_record(std::string_view bytes) {
    constexpr std::string_view before = "MUSTER RECORD ";
    static_assert(record_magic.starts_with(before));
    std::uint32_t version = 0;
    if (!bytes.starts_with(before)) {
        return std::nullopt;
    }
    const std::string_view rest = bytes.substr(before.size());
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), version);
    const bool is_line =
        read.ec == std::errc{} && read.ptr != rest.data() + rest.size() && *read.ptr == '\n';
    return is_line ? std::optional{version} : std::nullopt;
}

Result<RecordReader> RecordReader::open(std::string_view bytes) {
    if (!bytes.starts_with(record_magic)) {
        if (const auto version = version_of_record(bytes)) {
            return fail(Errc::unsupported_version,
                        "it is a record of version " + std::to_string(*version) +
                            ", and this program replays version " +
                            std::to_string(version_of_record(record_magic).value_or(0)) +
                            " only; replay it with the version of muster that recorded it");
        }
        return fail(Errc::malformed,
                    "it is not a record of a coordinator: it should begin with '" +
                        std::string{record_magic.substr(0, record_magic.size() - 1)} + "'");
    }
    RecordReader reader{bytes};
    reader.at_ = record_magic.size();
    return reader;
}

Result<std::optional<std::string_view>> RecordReader::next() {
    const std::string_view left = bytes_.substr(at_);
    if (left.size() < frame) {
        return std::nullopt;
    }
    const std::size_t size = number_at(left);
    if (size == 0) {
        return std::nullopt;
    }
    const auto damaged = [&](const char* how) {
        return fail(Errc::malformed, "the record at byte " + std::to_string(at_) + " " + how +
                                         "; what is before it is sound");
    };
    if (size > left.size() - frame) {
        return damaged("is longer than the file");
    }
    const std::string_view record = left.substr(frame, size);
    if (short_sum(record) != number_at(left.substr(sizeof(std::uint32_t)))) {
        return damaged("does not match its checksum");
    }
    at_ += frame + size;
    return record;
}

}  // namespace muster::coordinator
