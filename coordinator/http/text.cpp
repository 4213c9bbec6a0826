#include "coordinator/http/text.hpp"

#include <algorithm>

namespace muster::coordinator {
namespace {

std::string_view reason_of(int status) {
    switch (status) {
        case 200: return "OK";
        case 400: return "Bad Request";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 431: return "Request Header Fields Too Large";
        case 503: return "Service Unavailable";
        case 505: return "HTTP Version Not Supported";
        default: return "";
    }
}

tl::unexpected<HttpAnswer> refused(int status, std::string sentence) {
    return tl::unexpected{HttpAnswer{.status = status, .body = std::move(sentence) + "\n"}};
}

}  // namespace

tl::expected<HttpRequest, HttpAnswer> parse_http(std::string_view head) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    const auto behind_method = line.find(' ');
    const auto before_version = line.rfind(' ');
    const bool has_control = std::any_of(line.begin(), line.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (has_control || behind_method == std::string_view::npos || behind_method == before_version) {
        return refused(400, "the first line is not METHOD /PATH HTTP/1.1");
    }
    const auto method = line.substr(0, behind_method);
    const auto target = line.substr(behind_method + 1, before_version - behind_method - 1);
    const auto version = line.substr(before_version + 1);
    if (version != "HTTP/1.1" && version != "HTTP/1.0") {
        return refused(version.starts_with("HTTP/") ? 505 : 400, "only HTTP/1.1 is spoken here");
    }
    if (method != "GET" && method != "HEAD") {
        return refused(405, "only GET and HEAD: nothing can be changed here");
    }
    if (!target.starts_with('/')) {
        return refused(400, "the path does not begin with /");
    }
    return HttpRequest{.head_only = method == "HEAD", .path = target.substr(0, target.find('?'))};
}

std::string text_of(const HttpAnswer& answer, bool head_only) {
    std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " ";
    text += reason_of(answer.status);
    text += "\r\nContent-Type: " + answer.type;
    text += "\r\nContent-Length: " + std::to_string(answer.body.size());
    text += answer.status == 405 ? "\r\nAllow: GET, HEAD" : "";
    text += "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
    return head_only ? text : text + answer.body;
}

}  // namespace muster::coordinator
