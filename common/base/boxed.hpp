#pragma once

#include <memory>
#include <utility>

namespace muster {

/// A value that is rarely present, or large among small ones: as small as a pointer. A copy copies
/// the value.
template <class T>
class Boxed {
public:
    Boxed() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): it stands for the value.
    Boxed(T value) : value_{std::make_unique<T>(std::move(value))} {}
    Boxed(const Boxed& other)
        : value_{other.value_ ? std::make_unique<T>(*other.value_) : nullptr} {}
    Boxed(Boxed&& other) noexcept = default;
    Boxed& operator=(Boxed other) noexcept {
        value_ = std::move(other.value_);
        return *this;
    }
    ~Boxed() = default;

    [[nodiscard]] explicit operator bool() const { return value_ != nullptr; }
    [[nodiscard]] const T& operator*() const { return *value_; }
    [[nodiscard]] T& operator*() { return *value_; }

private:
    std::unique_ptr<T> value_;
};

}  // namespace muster
