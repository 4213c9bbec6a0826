#include "agent/shim/order.hpp"

namespace muster::shim {

namespace {

void apply_field(const Field& field, Order& into) {
    switch (field.tag) {
        case Tag::process: into.process = field.number(); break;
        case Tag::record: into.record = field; break;
        case Tag::program: into.program = field.text(); break;
        case Tag::directory: into.directory = field.text(); break;
        case Tag::log_name: into.log_name = field.text(); break;
        case Tag::log_bytes: into.log_bytes = field.number(); break;
        case Tag::log_age_ms: into.log_age_ms = field.number(); break;
        case Tag::start_timeout_ms: into.start_timeout_ms = field.number(); break;
        case Tag::post_stop_ms: into.post_stop_ms = field.number(); break;
        case Tag::lease_ns: into.lease_ns = field.number(); break;
        case Tag::grace_ms: into.grace_ms = field.number(); break;
        case Tag::signal_number: into.signal_number = static_cast<int>(field.number()); break;
        case Tag::sandbox: into.sandbox = static_cast<SandboxMethod>(field.number()); break;
        case Tag::sandbox_own: into.sandbox_own = field.text(); break;
        case Tag::sandbox_shown: into.sandbox_shown = field.text(); break;
        case Tag::pre_start: into.has_pre_start = true; break;
        case Tag::post_stop: into.has_post_stop = true; break;
        default: break;  // Read where it is needed, or of a later version.
    }
}

bool is_known(uint16_t version) {
    return version == wire_version || version == wire_version_of_sandbox;
}

}  // namespace

bool read_order(const char* message, size_t size, Order& into) {
    Reader reader{message, size};
    if (!reader.is_sound() || !is_known(reader.version()) || reader.kind() != Kind::order) {
        return false;
    }
    into = {};
    into.message = message;
    into.size = size;
    Field field;
    bool has_arguments = false;
    while (reader.next(field)) {
        apply_field(field, into);
        has_arguments = has_arguments || field.tag == Tag::argument;
    }
    return has_arguments && into.process != 0 && *into.program == '/' && *into.directory == '/';
}

}  // namespace muster::shim
