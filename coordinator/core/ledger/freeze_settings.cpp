#include "coordinator/core/ledger/freeze_settings.hpp"

#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::coordinator {

namespace {

constexpr std::string_view frozen_name = "freeze";
constexpr std::string_view reason_name = "freeze.reason";
constexpr std::string_view author_name = "freeze.author";
constexpr std::string_view since_name = "freeze.since";

CivilMs time_from(std::string_view text) {
    std::int64_t ms = 0;
    std::from_chars(text.data(), text.data() + text.size(), ms);
    return CivilMs{ms};
}

}  // namespace

std::vector<StoredFreeze> freezes_in(std::span<const StoredSetting> settings) {
    std::map<std::string_view, std::string_view> values;
    for (const StoredSetting& setting : settings) {
        values.emplace(setting.name, setting.value);
    }
    if (values[frozen_name] != "on") {
        return {};
    }
    return {{.on = true,
             .reason = std::string{values[reason_name]},
             .author = std::string{values[author_name]},
             .since = time_from(values[since_name])}};
}

std::vector<StoredSetting> settings_of(const StoredFreeze& freeze) {
    const std::string since = freeze.on ? std::to_string(raw(freeze.since)) : "";
    return {{std::string{frozen_name}, freeze.on ? "on" : "off"},
            {std::string{reason_name}, freeze.reason},
            {std::string{author_name}, freeze.author},
            {std::string{since_name}, since}};
}

}  // namespace muster::coordinator
