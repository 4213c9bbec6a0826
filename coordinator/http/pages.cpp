#include "coordinator/http/pages.hpp"

#include <variant>

#include "common/base/ensure.hpp"
#include "coordinator/http/metrics_text.hpp"

namespace muster::coordinator {
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
    ensure(reply != nullptr, "a status request gets a status reply");
    if (reply->phase == "leading") {
        return {.body = line("ready")};
    }
    std::string why = reply->phase;
    for (const auto& alarm : reply->alarms) {
        why += "\n" + alarm;
    }
    return {.status = unavailable, .body = line(why)};
}

HttpAnswer metrics_page(const Result<ReplyBody>& stats) {
    if (!stats) {
        return {.status = unavailable, .body = line(stats.error().detail)};
    }
    const auto* const reply = std::get_if<StatsReply>(&*stats);
    ensure(reply != nullptr, "a stats request gets a stats reply");
    return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_text(*reply)};
}

HttpAnswer no_such_page() {
    return {.status = 404, .body = line("there are /metrics, /healthz and /readyz")};
}

}  // namespace muster::coordinator
