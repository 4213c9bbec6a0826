#include "common/spec/signed_spec.hpp"

#include <concepts>
#include <map>
#include <type_traits>
#include <vector>

#include "common/spec/description.hpp"

namespace muster {

namespace {

constexpr std::string_view signed_form = "muster signed spec 1";

/// With its length before it, so that no letter moves from one text to the next.
std::string netstring(std::string_view text) {
    return std::to_string(text.size()) + ':' + std::string{text} + ',';
}

std::string bytes_of(bool value) { return value ? "true" : "false"; }
std::string bytes_of(std::integral auto value) { return std::to_string(value); }
std::string bytes_of(Duration value) { return std::to_string(to_ms(value)); }
std::string bytes_of(const std::string& value) { return value; }
std::string bytes_of(RlimitValue value) { return to_string(value); }
std::string bytes_of(Named auto value) { return std::string{to_string(value)}; }

std::string bytes_of(const std::vector<std::string>& values) {
    std::string bytes;
    for (const std::string& value : values) {
        bytes += netstring(value);
    }
    return bytes;
}

template <class Value>
std::string bytes_of(const std::map<std::string, Value>& values);

template <Described T>
std::string bytes_of(const T& value) {
    const T unsaid{};
    std::string bytes;
    for_each_field<T>([&](const auto& field) {
        const bool is_signature = std::is_same_v<T, TaskSpec> && field.wire_name == "signature";
        if (!is_signature && !(value.*field.member == unsaid.*field.member)) {
            bytes += netstring(field.wire_name) + netstring(bytes_of(value.*field.member));
        }
    });
    return bytes;
}

template <class Value>
std::string bytes_of(const std::map<std::string, Value>& values) {
    std::string bytes;
    for (const auto& [key, value] : values) {
        bytes += netstring(key) + netstring(bytes_of(value));
    }
    return bytes;
}

}  // namespace

std::string signed_bytes(std::string_view task, const TaskSpec& spec) {
    return netstring(signed_form) + netstring("name") + netstring(task) + bytes_of(spec);
}

}  // namespace muster
