#include "common/messages/operator.hpp"

#include <type_traits>
#include <utility>

namespace muster {

tl::expected<CoreRequest, ShellRequest> for_core(Request request) {
    using Split = tl::expected<CoreRequest, ShellRequest>;
    const auto split = [&]<class Body>(Body& body) -> Split {
        if constexpr (std::is_constructible_v<CoreRequestBody, Body>) {
            return CoreRequest{request.id, std::move(body)};
        } else {
            return tl::unexpected<ShellRequest>{std::move(body)};
        }
    };
    return std::visit(split, request.body);
}

}  // namespace muster
