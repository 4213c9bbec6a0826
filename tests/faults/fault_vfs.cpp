#include "tests/faults/fault_vfs.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <sqlite3.h>
#include <vector>

namespace muster::faults {
namespace {

constexpr std::size_t sector = 512;

/// A file as it is on the disk, and its changes since the last sync.
struct ModelFile {
    struct Change {
        sqlite3_int64 at = 0;
        std::string bytes;
        bool truncates = false;  // The new size is `at`.
    };
    std::string durable;
    std::vector<Change> changes;

    static void apply(std::string& to, const Change& change) {
        const auto at = static_cast<std::size_t>(change.at);
        if (change.truncates) {
            to.resize(std::min(to.size(), at));
            return;
        }
        to.resize(std::max(to.size(), at + change.bytes.size()));
        to.replace(at, change.bytes.size(), change.bytes);
    }
    void sync() {
        for (const Change& change : changes) {
            apply(durable, change);
        }
        changes.clear();
    }
};

struct State {
    std::mutex mutex;
    sqlite3_vfs* below = nullptr;
    sqlite3_vfs vfs{};
    std::optional<FileFault> fault;
    std::uint64_t operations = 0;
    bool fired = false;
    bool models_power = false;
    std::map<std::string, ModelFile> files;
};

State& state() {
    static State one;
    return one;
}

/// The file of the layer below follows it in memory.
struct File {
    sqlite3_file base;
    const char* path;

    [[nodiscard]] sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File& ours(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }

[[nodiscard]] const sqlite3_io_methods& below(sqlite3_file* file) {
    return *ours(file).below()->pMethods;
}

/// Counts one more operation and returns its fault, if it has one.
std::optional<FileFault::Kind> next_fault() {
    State& all = state();
    ++all.operations;
    if (!all.fault || all.operations < all.fault->at ||
        (all.operations > all.fault->at && !all.fault->lasts)) {
        return std::nullopt;
    }
    all.fired = true;
    if (all.fault->kind == FileFault::Kind::kill) {
        std::raise(SIGKILL);
    }
    return all.fault->kind;
}

int code_of(FileFault::Kind kind, int io_error) {
    return kind == FileFault::Kind::full ? SQLITE_FULL : io_error;
}

void remember(sqlite3_file* file, ModelFile::Change change) {
    if (state().models_power && ours(file).path != nullptr) {
        state().files[ours(file).path].changes.push_back(std::move(change));
    }
}

int write_all(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
    remember(file, {.at = at,
                    .bytes = {static_cast<const char*>(bytes), static_cast<std::size_t>(size)}});
    return below(file).xWrite(ours(file).below(), bytes, size, at);
}

int on_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
    const std::scoped_lock lock{state().mutex};
    const auto fault = next_fault();
    if (!fault) {
        return write_all(file, bytes, size, at);
    }
    if (*fault == FileFault::Kind::short_write || *fault == FileFault::Kind::torn_kill) {
        write_all(file, bytes, size / 2, at);
    }
    if (*fault == FileFault::Kind::torn_kill) {
        std::raise(SIGKILL);
    }
    return code_of(*fault, SQLITE_IOERR_WRITE);
}

/// An operation that is either complete or has no effect.
template <class Work>
int guarded(int io_error, Work work) {
    const std::scoped_lock lock{state().mutex};
    if (const auto fault = next_fault()) {
        if (*fault == FileFault::Kind::torn_kill) {
            std::raise(SIGKILL);
        }
        return code_of(*fault, io_error);
    }
    return work();
}

int on_truncate(sqlite3_file* file, sqlite3_int64 size) {
    return guarded(SQLITE_IOERR_TRUNCATE, [&] {
        remember(file, {.at = size, .bytes = {}, .truncates = true});
        return below(file).xTruncate(ours(file).below(), size);
    });
}

int on_sync(sqlite3_file* file, int flags) {
    return guarded(SQLITE_IOERR_FSYNC, [&] {
        if (!state().models_power) {
            return below(file).xSync(ours(file).below(), flags);
        }
        if (ours(file).path != nullptr) {
            state().files[ours(file).path].sync();
        }
        return SQLITE_OK;
    });
}

// An operation that writes nothing goes directly to the layer below.
int on_close(sqlite3_file* file) { return below(file).xClose(ours(file).below()); }
int on_read(sqlite3_file* file, void* into, int size, sqlite3_int64 at) {
    return below(file).xRead(ours(file).below(), into, size, at);
}
int on_size(sqlite3_file* file, sqlite3_int64* size) {
    return below(file).xFileSize(ours(file).below(), size);
}
int on_lock(sqlite3_file* file, int lock) { return below(file).xLock(ours(file).below(), lock); }
int on_unlock(sqlite3_file* file, int lock) {
    return below(file).xUnlock(ours(file).below(), lock);
}
int on_check_lock(sqlite3_file* file, int* held) {
    return below(file).xCheckReservedLock(ours(file).below(), held);
}
int on_control(sqlite3_file* file, int what, void* argument) {
    return below(file).xFileControl(ours(file).below(), what, argument);
}
int on_sector_size(sqlite3_file* file) { return below(file).xSectorSize(ours(file).below()); }
int on_characteristics(sqlite3_file* file) {
    return below(file).xDeviceCharacteristics(ours(file).below());
}
int on_shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** into) {
    return below(file).xShmMap(ours(file).below(), region, size, extend, into);
}
int on_shm_lock(sqlite3_file* file, int offset, int count, int flags) {
    return below(file).xShmLock(ours(file).below(), offset, count, flags);
}
void on_shm_barrier(sqlite3_file* file) { below(file).xShmBarrier(ours(file).below()); }
int on_shm_unmap(sqlite3_file* file, int removes) {
    return below(file).xShmUnmap(ours(file).below(), removes);
}

const sqlite3_io_methods methods{.iVersion = 2,
                                 .xClose = on_close,
                                 .xRead = on_read,
                                 .xWrite = on_write,
                                 .xTruncate = on_truncate,
                                 .xSync = on_sync,
                                 .xFileSize = on_size,
                                 .xLock = on_lock,
                                 .xUnlock = on_unlock,
                                 .xCheckReservedLock = on_check_lock,
                                 .xFileControl = on_control,
                                 .xSectorSize = on_sector_size,
                                 .xDeviceCharacteristics = on_characteristics,
                                 .xShmMap = on_shm_map,
                                 .xShmLock = on_shm_lock,
                                 .xShmBarrier = on_shm_barrier,
                                 .xShmUnmap = on_shm_unmap,
                                 .xFetch = nullptr,
                                 .xUnfetch = nullptr};

int on_open(sqlite3_vfs* /*vfs*/, const char* path, sqlite3_file* file, int flags, int* given) {
    file->pMethods = nullptr;
    ours(file).path = path;  // SQLite keeps the path as long as the file.
    const auto open = [&] {
        const int code =
            state().below->xOpen(state().below, path, ours(file).below(), flags, given);
        if (ours(file).below()->pMethods != nullptr) {
            file->pMethods = &methods;
        }
        return code;
    };
    return (flags & SQLITE_OPEN_READWRITE) != 0 ? guarded(SQLITE_CANTOPEN, open) : open();
}

int on_delete(sqlite3_vfs* /*vfs*/, const char* path, int sync) {
    return guarded(SQLITE_IOERR_DELETE, [&] {
        state().files.erase(path);
        return state().below->xDelete(state().below, path, state().models_power ? 0 : sync);
    });
}

}  // namespace

FaultVfs& FaultVfs::install() {
    static FaultVfs one;
    static const bool is_installed = [] {
        State& all = state();
        all.below = sqlite3_vfs_find(nullptr);
        all.vfs = *all.below;
        all.vfs.zName = "muster-faults";
        all.vfs.szOsFile = static_cast<int>(sizeof(File)) + all.below->szOsFile;
        all.vfs.xOpen = on_open;
        all.vfs.xDelete = on_delete;
        return sqlite3_vfs_register(&all.vfs, 1) == SQLITE_OK;
    }();
    if (!is_installed) {
        throw std::bad_alloc{};
    }
    return one;
}

void FaultVfs::arm(std::optional<FileFault> fault) {
    const std::scoped_lock lock{state().mutex};
    state().fault = fault;
    state().operations = 0;
    state().fired = false;
}

std::uint64_t FaultVfs::operations() const {
    const std::scoped_lock lock{state().mutex};
    return state().operations;
}

bool FaultVfs::has_fired() const {
    const std::scoped_lock lock{state().mutex};
    return state().fired;
}

void FaultVfs::model_power() {
    const std::scoped_lock lock{state().mutex};
    state().models_power = true;
    state().files.clear();
}

void FaultVfs::lose_power(Random& random, const std::string& from, const std::string& to) const {
    const std::scoped_lock lock{state().mutex};
    for (const auto& [path, file] : state().files) {
        if (!path.starts_with(from + '/')) {
            continue;
        }
        std::string left = file.durable;
        for (ModelFile::Change change : file.changes) {
            const std::uint64_t fate = random.below(4);
            if (fate == 0) {
                continue;
            }
            if (fate == 1 && change.bytes.size() > sector) {
                change.bytes.resize(sector * (1 + random.below(change.bytes.size() / sector)));
            }
            ModelFile::apply(left, change);
        }
        std::ofstream{to + path.substr(from.size()), std::ios::binary} << left;
    }
}

}  // namespace muster::faults
