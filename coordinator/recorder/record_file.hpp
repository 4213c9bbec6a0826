#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"

/// A file of records that come one after the other:
///
///     "MUSTER RECORD 8\n"   then for each: 4 bytes size, 4 bytes checksum, the record
///
/// Numbers are little-endian. A size of 0 is the end: what was being written when the process or
/// the host died is not there.
namespace muster::coordinator {

/// The number is the version of what is recorded. It grows with every change of that, such as a
/// field of the core that is added, renamed or removed: a core that is restored from other fields
/// than its own would be another one. tests/data/record_versions.txt holds it to that.
inline constexpr std::string_view record_magic = "MUSTER RECORD 8\n";

/// The version in the first line of a record; nothing: the bytes are no record.
[[nodiscard]] std::optional<std::uint32_t> version_of_record(std::string_view bytes);

/// Of bytes, so that flipped and missing ones are seen. Not against forgers.
[[nodiscard]] std::uint64_t checksum_of(std::string_view bytes);

/// Appends. The file is mapped: a record costs no system call, and survives the death of the
/// process as soon as add() has returned. Its room grows in large steps, which the disk grants
/// before anything is written there.
class RecordFile {
public:
    /// A new file, for its owner alone.
    [[nodiscard]] static Result<RecordFile> create(const std::string& path);
    RecordFile(RecordFile&& other) noexcept;
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;
    /// Gives back the room that was not used.
    ~RecordFile();

    /// An error, such as a full disk: the record is not there, and those before it are.
    [[nodiscard]] Result<void> add(std::string_view record);
    /// `io`: somebody removed the file or made it shorter; what is added may be lost.
    [[nodiscard]] Result<void> check_in_place() const;
    [[nodiscard]] std::size_t size() const { return used_; }

private:
    RecordFile(FileDescriptor file, std::string path);
    [[nodiscard]] Result<void> make_room(std::size_t bytes);
    [[nodiscard]] tl::unexpected<Error> lost(const char* how) const;

    FileDescriptor file_;
    std::string path_;
    char* map_ = nullptr;
    std::size_t mapped_ = 0;
    std::size_t used_ = 0;
    std::size_t last_ = 0;  // Where the last record begins; 0: there is none.
};

/// Reads the records of a file's bytes in their order.
class RecordReader {
public:
    /// `malformed`: it is no such file. `unsupported_version`: it is one of another version.
    [[nodiscard]] static Result<RecordReader> open(std::string_view bytes);

    /// Nothing at the end. `malformed`: a record is damaged; the sentence says at which byte.
    [[nodiscard]] Result<std::optional<std::string_view>> next();

private:
    explicit RecordReader(std::string_view bytes) : bytes_{bytes} {}

    std::string_view bytes_;
    std::size_t at_ = 0;
};

}  // namespace muster::coordinator
