#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/exec/launch/order.hpp"
#include "agent/exec/shims/shim_link.hpp"
#include "agent/shim/order.hpp"
#include "agent/shim/wire.hpp"
#include "common/base/ensure.hpp"
#include "tests/fuzz/targets.hpp"

// Messages between agents and shims.
namespace muster::fuzz {
namespace {

// Decodes a message and encodes it again.
std::string rewritten(const char* data, std::size_t size) {
    shim::Reader reader{data, size};
    std::string bytes(size, '\0');
    shim::Writer writer{bytes.data(), bytes.size(), reader.kind()};
    for (shim::Field field; reader.next(field);) {
        writer.bytes(field.tag, field.data, field.size);
    }
    ensure(writer.fits(), "what is written again is no longer");
    bytes.resize(writer.size());
    return bytes;
}

}  // namespace

void fuzz_shim_message(std::string_view input) {
    // A buffer of exact size, so that sanitizers find a read beyond it.
    const std::vector<char> message(input.begin(), input.end());
    shim::Reader reader{message.data(), message.size()};
    const bool is_sound = reader.is_sound();
    for (shim::Field field; reader.next(field);) {
        ensure(is_sound, "only sound messages have fields");
        for (std::size_t index = 0; index < 4; ++index) {
            static_cast<void>(field.number(index));
        }
        ensure(std::string_view{field.text()}.size() <= field.size, "a text is inside its field");
    }
    shim::Order order;
    const bool is_order = shim::read_order(message.data(), message.size(), order);
    ensure(!is_order || is_sound, "an order is a sound message");
    const auto state = agent::read_shim_state(input);
    ensure(!state || is_sound, "so is a state");
    if (state) {
        static_cast<void>(agent::found_process(*state));
    }
    if (is_sound) {
        const std::string again = rewritten(message.data(), message.size());
        ensure(rewritten(again.data(), again.size()) == again, "it is read as it is written");
    }
}

}  // namespace muster::fuzz
