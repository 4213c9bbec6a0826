#include "coordinator/http_pages.hpp"

#include <variant>

#include "common/ensure.hpp"

namespace muster {
namespace {

constexpr int unavailable = 503;

std::string line(const std::string& sentence) { return sentence + "\n"; }

}  // namespace

HttpAnswer health_page(const std::optional<std::string>& resigned) {
    if (resigned) {
        return {.status = unavailable, .body = line("leadership is over: " + *resigned)};
    }
    return {.body = line("ok")};
}

HttpAnswer readiness_page(const Result<ReplyBody>& status) {
    if (!status) {
        return {.status = unavailable, .body = line(status.error().detail)};
    }
    const auto* const reply = std::get_if<StatusReply>(&*status);
    ensure(reply != nullptr, "who asks for the status gets it");
    if (reply->phase == "leading") {
        return {.body = line("ready")};
    }
    std::string why = reply->phase;
    for (const auto& alarm : reply->alarms) {
        why += "\n" + alarm;
    }
    return {.status = unavailable, .body = line(why)};
}

HttpAnswer no_such_page() {
    return {.status = 404, .body = line("there are /metrics, /healthz and /readyz")};
}

}  // namespace muster
