#include "coordinator/recorder/recorder.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/base/paths.hpp"
#include "coordinator/recorder/core_state.hpp"

namespace muster::coordinator {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".record";
constexpr std::size_t digits = 10;
constexpr std::uint64_t last_number = 9'000'000'000;  // A larger number in a file name is not ours.
constexpr std::uint64_t largest_file = std::uint64_t{256} << 20U;  // A replay reads a whole file.
constexpr std::uint64_t files = 8;  // Files that the records are divided into, if states are small.

std::string path_of(const std::string& directory, std::uint64_t number) {
    const std::string text = std::to_string(number);
    return directory + '/' + std::string(digits - std::min(digits, text.size()), '0') + text +
           std::string{suffix};
}

/// 0: not the name of a record. The recorder counts and removes only names that path_of() can make.
std::uint64_t number_of(const fs::path& path) {
    const std::string stem = path.stem().string();
    const bool is_number =
        stem.size() == digits && stem.find_first_not_of("0123456789") == std::string::npos;
    const std::uint64_t number = path.extension() == suffix && is_number ? std::stoull(stem) : 0;
    return number <= last_number ? number : 0;
}

}  // namespace

Recorder::Recorder(RecordOptions options) : options_{std::move(options)} { find_files(); }

void Recorder::find_files() {
    std::error_code ignored;  // The directory may not exist yet.
    for (fs::directory_iterator entry{options_.directory, ignored}, end; !ignored && entry != end;
         entry.increment(ignored)) {
        std::error_code unknown;
        const std::uint64_t number = number_of(entry->path());
        if (number == 0 || !fs::is_regular_file(entry->symlink_status(unknown))) {
            continue;
        }
        kept_.push_back({entry->path().string(), entry->file_size(unknown)});
        last_number_ = std::max(last_number_, number);
    }
    std::ranges::sort(kept_, {}, [](const Kept& file) { return number_of(file.path); });
}

void Recorder::record_input(Instant now, const Input& input, const Coordinator& core) {
    now_ = now;
    check_record_file(now);
    if (!file_ && now < again_) {
        return;
    }
    // A state in the middle of a large change cannot be saved, so the next file begins after it.
    const bool is_due = !file_ || file_->size() >= file_most_;
    if (is_due && core.has_incomplete_change()) {
        if (!file_) {
            return;
        }
    } else if (is_due) {
        if (auto began = begin_file(now, core); !began) {
            give_up(began.error(), now + retry_after);
            return;
        }
        trouble_.reset();
    }
    add(encoder_.input(now, input));
}

void Recorder::record_output(const Output& output) {
    if (!file_) {
        return;
    }
    if (const std::string_view outcome = encoder_.outcome(output); !outcome.empty()) {
        add(outcome);
    }
}

void Recorder::add(std::string_view record) {
    if (auto added = file_->add(record); !added) {
        give_up(added.error(), now_ + retry_after);
    }
}

// A person who removes a record wants disk space or order, not the end of recording: the next input
// begins a file.
void Recorder::check_record_file(Instant now) {
    if (!file_ || now < next_check_) {
        return;
    }
    next_check_ = now + check_interval;
    if (auto there = file_->check_in_place(); !there) {
        give_up(there.error(), now + Duration{1});
    }
}

void Recorder::give_up(const Error& why, Instant again) {
    trouble_ = why.detail;
    again_ = again;
    end_file();
}

void Recorder::end_file() {
    if (file_) {
        kept_.push_back({path_, file_->size()});
        file_.reset();
    }
}

Result<void> Recorder::begin_file(Instant now, const Coordinator& core) {
    end_file();
    // An existing directory belongs to a person and may hold other things: only the files are
    // private.
    std::error_code unknown;
    if (!fs::is_directory(options_.directory, unknown)) {
        if (auto made = paths::make_private_directory(options_.directory); !made) {
            return made;
        }
    }
    const std::string state = save_core(core);
    file_most_ = std::max<std::uint64_t>(std::min(options_.most_bytes / files, largest_file),
                                         2 * state.size());
    drop_oldest(file_most_);
    path_ = path_of(options_.directory, ++last_number_);
    auto file = RecordFile::create(path_);
    if (!file) {
        return tl::unexpected{file.error()};
    }
    auto written = file->add(encoder_.head({.version = options_.version, .began = now}));
    if (written) {
        written = file->add(state);
    }
    if (!written) {
        std::remove(path_.c_str());
        return written;
    }
    file_.emplace(std::move(*file));
    return {};
}

// The file before the new one stays: it shows what led to the present state.
void Recorder::drop_oldest(std::uint64_t needed) {
    std::uint64_t sum = needed;
    for (const Kept& file : kept_) {
        sum += file.bytes;
    }
    while (kept_.size() > 1 && sum > options_.most_bytes) {
        sum -= kept_.front().bytes;
        std::remove(kept_.front().path.c_str());
        kept_.erase(kept_.begin());
    }
}

}  // namespace muster::coordinator
