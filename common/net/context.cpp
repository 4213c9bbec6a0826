#include "common/net/context.hpp"

#include <string>

#include <zmq.hpp>

#include "common/net/accept/accept.hpp"

namespace muster::net {
namespace {

// ZMQ_ZERO_COPY_RECV, which zmq.h declares as a draft. With it a frame that waits keeps the whole
// buffer of its read, 18 KB, and an encrypted frame has a read of its own.
constexpr int zero_copy_receive = 10;

}  // namespace

Context::Context(const ContextOptions& options)
    : context_{std::make_unique<zmq::context_t>(options.io_threads, options.max_sockets)} {
    // Where the library does not know it, frames cost more memory, and nothing else changes.
    zmq_ctx_set(context_->handle(), zero_copy_receive, 0);
    close_when_out_of_files();
}

Context::~Context() = default;

Result<void> check_library() {
    int major = 0;
    int minor = 0;
    int patch = 0;
    zmq_version(&major, &minor, &patch);
    const auto version =
        std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
    if (major * 10'000 + minor * 100 + patch < 40'303) {
        return fail(Errc::refused, "libzmq " + version +
                                       " has security holes before authentication; muster needs "
                                       "4.3.3 or later");
    }
    if (zmq_has("curve") == 0) {
        return fail(Errc::refused, "libzmq " + version + " was built without CURVE");
    }
    return {};
}

}  // namespace muster::net
