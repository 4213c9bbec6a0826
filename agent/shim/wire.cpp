#include "agent/shim/wire.hpp"

#include <string.h>

namespace muster::shim {

namespace {

constexpr size_t header_bytes = 4;
constexpr size_t field_bytes = 8;

uint16_t two_bytes(const char* from) {
    uint16_t value = 0;
    memcpy(&value, from, sizeof value);
    return value;
}

uint32_t size_at(const char* field) {
    uint32_t size = 0;
    memcpy(&size, field + 4, sizeof size);
    return size;
}

}  // namespace

Writer::Writer(char* buffer, size_t capacity, Kind kind, uint16_t version)
    : buffer_{buffer}, capacity_{capacity} {
    if (char* header = take(header_bytes)) {
        memcpy(header, &version, sizeof version);
        memcpy(header + 2, &kind, sizeof kind);
    }
}

char* Writer::take(size_t size) {
    fits_ = fits_ && size <= capacity_ - size_;
    if (!fits_) {
        return nullptr;
    }
    char* at = buffer_ + size_;
    size_ += size;
    return at;
}

void Writer::bytes(Tag tag, const char* data, size_t size) {
    if (size > message_bytes) {
        fits_ = false;
        return;
    }
    if (char* field = take(field_bytes + size)) {
        const auto counted = static_cast<uint32_t>(size);
        memset(field, 0, field_bytes);
        memcpy(field, &tag, sizeof tag);
        memcpy(field + 4, &counted, sizeof counted);
        if (size > 0) {
            memcpy(field + field_bytes, data, size);
        }
    }
}

void Writer::numbers(Tag tag, const uint64_t* values, size_t count) {
    bytes(tag, reinterpret_cast<const char*>(values), count * sizeof *values);
}

void Writer::text(Tag tag, const char* text) { bytes(tag, text, strlen(text) + 1); }

uint64_t Field::number(size_t index) const {
    uint64_t value = 0;
    if (size >= (index + 1) * sizeof value) {
        memcpy(&value, data + index * sizeof value, sizeof value);
    }
    return value;
}

const char* Field::text() const {
    return size > 0 && memchr(data, 0, size) == data + size - 1 ? data : "";
}

Reader::Reader(const char* data, size_t size) : rest_{data}, left_{size} {
    if (left_ < header_bytes) {
        return;
    }
    version_ = two_bytes(rest_);
    kind_ = static_cast<Kind>(two_bytes(rest_ + 2));
    rest_ += header_bytes;
    left_ -= header_bytes;
    size_t at = 0;
    while (left_ - at >= field_bytes) {
        const size_t bytes = size_at(rest_ + at);
        if (bytes > left_ - at - field_bytes) {
            return;
        }
        at += field_bytes + bytes;
    }
    is_sound_ = at == left_;
}

bool Reader::next(Field& field) {
    if (!is_sound_ || left_ < field_bytes) {
        return false;
    }
    field.tag = static_cast<Tag>(two_bytes(rest_));
    field.size = size_at(rest_);
    field.data = rest_ + field_bytes;
    rest_ += field_bytes + field.size;
    left_ -= field_bytes + field.size;
    return true;
}

}  // namespace muster::shim
