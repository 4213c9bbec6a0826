#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"

/// A file of consecutive records:
///
///     "MUSTER RECORD 19\n"   then for each: 4 bytes size, 4 bytes checksum, the record
///
/// Numbers are little-endian. A size of 0 is the end: a record that was incomplete when the process
/// or the host died is absent.
namespace muster::coordinator {

/// The number is the version of the recorded fields. It grows with every change of them, such as a
/// field of the core that is added, renamed or removed: other fields would restore another core.
/// tests/data/record_versions.txt enforces this.
inline constexpr std::string_view record_magic = "MUSTER RECORD 19\n";

/// The version in the first line of a record; nothing: the bytes are not a record.
[[nodiscard]] std::optional<std::uint32_t> version_of_record(std::string_view bytes);

/// Detects flipped and missing bytes, not forgery.
[[nodiscard]] std::uint64_t checksum_of(std::string_view bytes);

/// Appends. The file is mapped: a record costs no system call, and survives the death of the
/// process once add() has returned. The file grows in large steps, whose disk space is allocated
/// before anything is written there.
class RecordFile {
public:
    /// A new file that only its owner may read and write.
    [[nodiscard]] static Result<RecordFile> create(const std::string& path);
    RecordFile(RecordFile&& other) noexcept;
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;
    /// Releases the disk space that was not used.
    ~RecordFile();

    /// An error, such as a full disk: this record is not written, the earlier ones stay.
    [[nodiscard]] Result<void> add(std::string_view record);
    /// `io`: somebody removed or truncated the file; further records may be lost.
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
    /// `malformed`: it is not such a file. `unsupported_version`: it has another version.
    [[nodiscard]] static Result<RecordReader> open(std::string_view bytes);

    /// Nothing at the end. `malformed`: a record is damaged; the error has its byte offset.
    [[nodiscard]] Result<std::optional<std::string_view>> next();

private:
    explicit RecordReader(std::string_view bytes) : bytes_{bytes} {}

    std::string_view bytes_;
    std::size_t at_ = 0;
};

}  // namespace muster::coordinator
