#pragma once

#include <memory>
#include <utility>

namespace muster {

/// A value that nobody changes any more: as small as two pointers. Copies share it, across threads,
/// too.
template <class T>
class Shared {
public:
    Shared() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): it stands for the value.
    Shared(T&& value) : value_{std::make_shared<const T>(std::move(value))} {}
    // NOLINTNEXTLINE(google-explicit-constructor): the same.
    Shared(const T& value) : value_{std::make_shared<const T>(value)} {}

    [[nodiscard]] explicit operator bool() const { return value_ != nullptr; }
    [[nodiscard]] const T& operator*() const { return *value_; }
    [[nodiscard]] const T* operator->() const { return value_.get(); }

private:
    std::shared_ptr<const T> value_;
};

}  // namespace muster
