#include "common/messages/operator.hpp"

#include <memory>
#include <type_traits>
#include <utility>

namespace muster {

template <class Variant>
OutOfLine<Variant>::OutOfLine(const OutOfLine&) = default;
template <class Variant>
OutOfLine<Variant>::OutOfLine(OutOfLine&&) noexcept = default;
template <class Variant>
OutOfLine<Variant>::~OutOfLine() = default;

// Destroy and construct: the variant's own assignment takes half of the compile time of this file.
template <class Variant>
OutOfLine<Variant>& OutOfLine<Variant>::operator=(OutOfLine&& other) noexcept {
    if (this != &other) {
        std::destroy_at(this);
        std::construct_at(this, std::move(other));
    }
    return *this;
}

template struct OutOfLine<CoreRequestBody::Base>;
template struct OutOfLine<RequestBody::Base>;
template struct OutOfLine<ReplyBody::Base>;

tl::expected<CoreRequest, ShellRequest> for_core(Request request) {
    const auto split = [&]<class Body>(Body& body) -> tl::expected<CoreRequest, ShellRequest> {
        if constexpr (std::is_constructible_v<CoreRequestBody, Body>) {
            return CoreRequest{request.id, std::move(body)};
        } else {
            return tl::unexpected<ShellRequest>{std::move(body)};
        }
    };
    return std::visit(split, request.body);
}

}  // namespace muster
