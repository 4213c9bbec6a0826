#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "common/codec/codec.hpp"
#include "common/log/log.hpp"
#include "common/net/dealer.hpp"
#include "coordinator/server.hpp"
#include "tests/unit/common/codec/json_answers.hpp"
#include "tests/unit/common/net/peers.hpp"
#include "tests/unit/coordinator/store/store_fixture.hpp"

namespace muster::coordinator {

using Frames = std::vector<std::string>;

/// A server on a real store and real sockets, driven by the test.
struct Running {
    Running() {
        log::set_level(log::Level::error);
        auto opened = open_store(store_file(directory));
        REQUIRE(opened);
        store = std::move(opened->store);
        CoordinatorOptions options;
        options.round = 100ms;
        options.version = "1.2.3";
        server = std::make_unique<Server>(test_context(), loop, options);
        server->lead(*store, opened->image);
        const auto listening = server->listen({"tcp://127.0.0.1:*", "tcp://127.0.0.1:*",
                                               "ipc://" + directory.path() + "/run/operators.sock",
                                               "tcp://127.0.0.1:*", "tcp://127.0.0.1:*"});
        REQUIRE(listening);
        bound = *listening;
    }

    template <class Holds>
    [[nodiscard]] bool until(Holds holds) {
        const auto deadline = net::boottime_now() + 20s;
        while (!holds() && net::boottime_now() < deadline) {
            server->turn(net::boottime_now() + 10ms);
        }
        return holds();
    }

    TemporaryDirectory directory;
    std::unique_ptr<SqliteStore> store;
    net::Loop loop;
    std::unique_ptr<Server> server;
    Server::Bindings bound;
};

/// A client of an endpoint, which keeps all messages that it receives.
class Peer {
public:
    Peer(Running& running, const std::string& endpoint)
        : running_{running}, dealer_{test_context(), net::tool_dealer()} {
        REQUIRE(dealer_.connect(endpoint));
        running_.loop.watch(dealer_, [this](Instant) {
            net::Message message;
            const auto receipt = dealer_.receive(message);
            if (receipt != net::Receipt::nothing) {
                received.emplace_back(message.frames().begin(), message.frames().end());
            }
            return receipt != net::Receipt::nothing;
        });
    }
    ~Peer() { running_.loop.forget(dealer_); }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    void send(const Frames& frames) {
        const std::vector<std::string_view> views{frames.begin(), frames.end()};
        REQUIRE(dealer_.send(views) == net::SendResult::sent);
    }
    void send_native(const std::string& body) { send({std::string{codec::version_frame()}, body}); }
    /// The next message.
    Frames next() {
        REQUIRE(running_.until([&] { return received.size() > read_; }));
        return received[read_++];
    }
    Frames ask(const Frames& frames) {
        forget();
        send(frames);
        return next();
    }

    void forget() {
        received.clear();
        read_ = 0;
    }

    std::vector<Frames> received;

private:
    Running& running_;
    net::Dealer dealer_;
    std::size_t read_ = 0;
};

inline Reply json_reply(const Frames& frames) {
    REQUIRE(frames.size() == 1);
    auto reply = codec::reply_from_json(frames[0]);
    REQUIRE(reply);
    return *reply;
}

}  // namespace muster::coordinator
