#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

/// The text of HTTP/1.1, as far as a read-only server needs it.
namespace muster::coordinator {

struct HttpAnswer {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body;
};

struct HttpRequest {
    bool head_only = false;  ///< HEAD: the answer goes without its body.
    std::string_view path;   ///< Without what follows a `?`.
};

/// Reads the first line of a request. The error is what to answer instead.
[[nodiscard]] tl::expected<HttpRequest, HttpAnswer> parse_http(std::string_view head);

/// The bytes of an answer, after which the connection is closed.
[[nodiscard]] std::string text_of(const HttpAnswer& answer, bool head_only);

}  // namespace muster::coordinator
