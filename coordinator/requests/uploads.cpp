#include "coordinator/requests/uploads.hpp"

#include <algorithm>
#include <utility>

#include "common/spec/duration.hpp"

namespace muster::coordinator {

std::size_t Uploads::open() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        uploads_, [](const Upload& upload) { return upload.assembly.is_open(); }));
}

void Uploads::give_up(Upload& upload) {
    upload.assembly.reset();
    upload.is_given_up = true;
}

std::size_t Uploads::open_of(const PublicKey& key) const {
    return static_cast<std::size_t>(std::ranges::count_if(uploads_, [&](const Upload& upload) {
        return upload.assembly.is_open() && upload.key == key;
    }));
}

Uploads::Upload& Uploads::of(const net::Envelope& from) {
    const auto known = std::ranges::find(uploads_, from.route, &Upload::route);
    if (known != uploads_.end()) {
        return *known;
    }
    forget_ended();
    uploads_.push_back(
        {.route = from.route, .key = from.peer, .assembly = {}, .last = {}, .is_given_up = false});
    return uploads_.back();
}

void Uploads::forget_ended() {
    if (uploads_.size() < open_at_most + ended_at_most) {
        return;
    }
    auto oldest = uploads_.end();
    for (auto upload = uploads_.begin(); upload != uploads_.end(); ++upload) {
        if (!upload->assembly.is_open() &&
            (oldest == uploads_.end() || upload->last < oldest->last)) {
            oldest = upload;
        }
    }
    uploads_.erase(oldest);  // Exists: more uploads are held than may be open.
}

bool Uploads::make_room(Instant now, const PublicKey& key) {
    const bool has_its_share = !key.is_none() && open_of(key) == open_per_key;
    if (!has_its_share && open() < open_at_most) {
        return true;
    }
    Upload* longest = nullptr;
    for (Upload& upload : uploads_) {
        const bool may_end = upload.assembly.is_open() && (!has_its_share || upload.key == key);
        if (may_end && (longest == nullptr || upload.last < longest->last)) {
            longest = &upload;
        }
    }
    if (now - longest->last < pause) {
        return false;
    }
    give_up(*longest);
    return true;
}

Result<std::optional<std::string>> Uploads::add(Instant now, const net::Envelope& from,
                                                std::string_view part) {
    for (Upload& open : uploads_) {
        if (open.assembly.is_open() && now - open.last > patience) {
            give_up(open);
        }
    }
    Upload& upload = of(from);
    upload.last = now;
    const bool is_first = parts::is_first(part);
    if (std::exchange(upload.is_given_up, false) && !is_first) {
        return tl::unexpected{upload.assembly.refuse(
            part,
            {Errc::busy, "the upload was dropped, because no part of it arrived for " +
                             muster::to_string(pause) + " or more; begin again with part 0"})};
    }
    if (is_first && !upload.assembly.is_open() && !make_room(now, from.peer)) {
        return tl::unexpected{upload.assembly.refuse(
            part, {Errc::busy, "too many uploads are in progress; try again"})};
    }
    const auto progress = upload.assembly.add(part);
    if (!progress) {
        return tl::unexpected{progress.error()};
    }
    if (*progress != parts::Assembly::Progress::complete) {
        return std::nullopt;
    }
    auto whole = upload.assembly.take();
    std::erase_if(uploads_, [&](const Upload& other) { return other.route == from.route; });
    return whole;
}

}  // namespace muster::coordinator
