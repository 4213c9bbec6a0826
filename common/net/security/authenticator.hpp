#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/crypto/key.hpp"
#include "common/net/context.hpp"
#include "common/net/security/handshake_rate.hpp"

namespace zmq {
class socket_t;  // NOLINT(readability-identifier-naming): the name of the library.
}

namespace muster::net {

using KeySet = std::vector<PublicKey>;  ///< Sorted.

/// Says to the library which keys may connect (ZAP, rfc.zeromq.org/spec/27). It fails closed: a
/// domain that never got a set admits nobody, and neither does any domain before start() and after
/// stop().
///
/// Keys are checked at the handshake only, so a key that leaves its set keeps its connections. The
/// application therefore checks the key of each message, too.
///
/// Any thread may call it. One per process, because the library knows one such handler.
class Authenticator {
public:
    /// A whole fleet may come from one address (NAT, or one host under test), and one thread of the
    /// library does about this many handshakes a second.
    static constexpr std::uint32_t handshakes_per_second = 1'000;

    /// A handshake with a key that is not admitted.
    struct Refusal {
        std::string_view domain;
        std::string_view address;  ///< Of the peer, without its port.
        const PublicKey* key;      ///< Null: it has none.
    };
    using OnRefusal = std::function<void(Instant now, const Refusal& refusal)>;

    /// `per_second`: handshakes of one address. `on_refusal` is called on the thread of this class.
    explicit Authenticator(Context& context, std::uint32_t per_second = handshakes_per_second,
                           OnRefusal on_refusal = {});
    ~Authenticator();
    Authenticator(const Authenticator&) = delete;
    Authenticator& operator=(const Authenticator&) = delete;

    /// Before any socket with keys is bound. Starts a thread that waits for nobody: every handshake
    /// waits for it.
    [[nodiscard]] Result<void> start();
    /// Replaces the keys of a domain. Null: nobody.
    void admit(const std::string& domain, std::shared_ptr<const KeySet> keys);
    /// Open: every key. For enrolment.
    void admit_any(const std::string& domain, bool open);

    struct Counts {
        std::uint64_t accepted = 0;
        std::uint64_t refused = 0;   ///< An unknown key.
        std::uint64_t too_fast = 0;  ///< Too many handshakes from one address.
    };
    [[nodiscard]] Counts counts() const;
    void stop();

private:
    struct Domain {
        std::shared_ptr<const KeySet> keys;
        bool is_open = false;
    };
    struct Request;
    struct Verdict;

    void run();
    /// False: no request waits.
    [[nodiscard]] bool answer_one();
    [[nodiscard]] Verdict judge(const Request& request);
    [[nodiscard]] bool is_admitted(const std::string& domain, const PublicKey& key) const;

    Context& context_;
    HandshakeRate rate_;  // Only of the thread.
    OnRefusal on_refusal_;
    std::unique_ptr<zmq::socket_t> requests_;
    FileDescriptor stop_;
    std::thread thread_;
    mutable std::mutex mutex_;
    std::map<std::string, Domain, std::less<>> domains_;
    std::atomic<std::uint64_t> accepted_{0};
    std::atomic<std::uint64_t> refused_{0};
    std::atomic<std::uint64_t> too_fast_{0};
};

}  // namespace muster::net
