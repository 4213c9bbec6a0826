#include "agent/core/host/host_watch.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "common/spec/quantity.hpp"

namespace muster::agent {

namespace {

constexpr std::uint32_t load_step_milli = 250;
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

/// A floor that is not configured follows from the capacity.
std::uint64_t floor_of(const std::optional<std::uint64_t>& configured, std::uint64_t all,
                       std::uint64_t most) {
    return configured ? *configured : std::min(all / 100, most);
}

/// Rounded up to whole mebibytes.
std::string whole_mebibytes(std::uint64_t bytes) {
    return size_text((bytes + mebibyte - 1) / mebibyte * mebibyte);
}

std::string too_little(const std::string& what, std::uint64_t left, std::uint64_t floor,
                       const std::string& key) {
    return "only " + size_text(left) + " of " + what +
           " are free; the node takes work again from " + whole_mebibytes(floor + floor / 4) +
           " free (floors." + key + ")";
}

/// True if the change is more than a fraction of the whole and more than normal variation.
bool moved(std::uint64_t from, std::uint64_t to, std::uint64_t all) {
    return std::max(from, to) - std::min(from, to) > std::max(all / 32, 16 * mebibyte);
}

}  // namespace

bool HostWatch::Floor::is_broken(std::uint64_t left, std::uint64_t floor) {
    broken = left < (broken ? floor + floor / 4 : floor);
    return broken;
}

void HostWatch::on_observed(Instant now, const HostObserved& host) {
    ++unanswered_;  // Each observation of the host also starts one of the disk.
    host_ = host;
    host_at_ = now;
    judge();
}

void HostWatch::on_observed(const DiskObserved& disk) {
    disk_ = disk;
    unanswered_ = 0;
    judge();
}

std::uint32_t HostWatch::load_milli() const {
    return host_ ? host_->load_milli - host_->load_milli % load_step_milli : 0;
}

void HostWatch::judge() {
    unable_ = host_ ? find_fault().substr(0, limits::detail_bytes) : std::string{};
}

std::string HostWatch::find_fault() {
    if (unanswered_ > unanswered_limit) {
        return "the disk with its state does not answer";
    }
    if (disk_ && disk_->bytes > 0) {
        const auto floor = floor_of(floors_.disk_bytes, disk_->bytes, limits::disk_floor_bytes);
        if (broken_.disk_bytes.is_broken(disk_->free_bytes, floor)) {
            return too_little("the disk with its state and logs", disk_->free_bytes, floor, "disk");
        }
        const auto files = floor_of(floors_.disk_files, disk_->files, limits::disk_floor_files);
        if (disk_->files > 0 && broken_.disk_files.is_broken(disk_->free_files, files)) {
            return "the disk with its state and logs has room for only " +
                   std::to_string(disk_->free_files) + " more files (floors.disk_files)";
        }
    }
    const auto floor = floor_of(floors_.memory_bytes, host_->memory_bytes, limits::memory_floor);
    if (host_->memory_bytes > 0 && broken_.memory.is_broken(host_->memory_free, floor)) {
        return too_little("its memory", host_->memory_free, floor, "memory");
    }
    return {};
}

HostVitals HostWatch::vitals(Instant now) const {
    HostVitals vitals{.at = civil(now),
                      .memory_free = host_->memory_free,
                      .unable = unable_,
                      .trouble = trouble_};
    if (disk_) {
        vitals.disk_free = disk_->free_bytes;
        vitals.disk_bytes = disk_->bytes;
    }
    if (spawned_) {
        vitals.spawned = civil(*spawned_);
    }
    if (written_) {
        vitals.written = civil(*written_);
    }
    return vitals;
}

bool HostWatch::differs(const HostVitals& fresh, Instant now) const {
    // In milliseconds: after a clock was set, the difference may not fit into a Duration.
    const std::int64_t apart = raw(fresh.at) - raw(reported_.at) - to_ms(now - reported_at_);
    return fresh.unable != reported_.unable || fresh.trouble != reported_.trouble ||
           fresh.disk_bytes != reported_.disk_bytes ||
           moved(reported_.disk_free, fresh.disk_free, fresh.disk_bytes) ||
           moved(reported_.memory_free, fresh.memory_free, host_->memory_bytes) ||
           (spawned_ && *spawned_ >= reported_at_) || (written_ && *written_ >= reported_at_) ||
           apart > to_ms(clock_step) || apart < -to_ms(clock_step);
}

HostVitals HostWatch::vitals_to_report(Instant now, bool all) {
    if (!host_) {
        return {};
    }
    HostVitals fresh = vitals(now);
    const bool was_reported = reported_.at != CivilMs{};
    const bool is_due = all || !was_reported || now >= reported_at_ + between_repetitions ||
                        (now >= reported_at_ + between_updates && differs(fresh, now));
    if (!is_due && fresh.unable.empty() == reported_.unable.empty() &&
        fresh.trouble.empty() == reported_.trouble.empty()) {
        return {};
    }
    reported_ = std::move(fresh);
    reported_at_ = now;
    return reported_;
}

}  // namespace muster::agent
