#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <zmq.hpp>

#include "tests/unit/common/net/peers.hpp"

namespace muster {

/// Answers the library's question who may connect, or does not, as ours would never do.
class ForeignHandler {
public:
    ForeignHandler() { socket_.bind(address); }
    ~ForeignHandler() { socket_.unbind(address); }  // At once; a close takes a while.
    ForeignHandler(const ForeignHandler&) = delete;
    ForeignHandler& operator=(const ForeignHandler&) = delete;

    /// How many requests came that are not answered.
    [[nodiscard]] std::size_t asked() {
        zmq::message_t frame;
        while (zmq_msg_recv(frame.handle(), socket_.handle(), ZMQ_DONTWAIT) >= 0) {
            request_.push_back(frame.to_string());
            if (!frame.more()) {
                requests_.push_back(std::move(request_));
                request_.clear();
            }
        }
        return requests_.size();
    }
    /// Answers the requests that came. False: none.
    bool answer(const std::string& status, const std::string& user) {
        if (asked() == 0) {
            return false;
        }
        for (const auto& request : requests_) {
            const std::vector<std::string> frames{request[0], "", "1.0", request[3],
                                                  status,     "", user,  ""};
            for (std::size_t i = 0; i < frames.size(); ++i) {
                zmq_send(socket_.handle(), frames[i].data(), frames[i].size(),
                         i + 1 < frames.size() ? ZMQ_SNDMORE : 0);
            }
        }
        requests_.clear();
        return true;
    }

private:
    static constexpr const char* address = "inproc://zeromq.zap.01";

    zmq::socket_t socket_{test_context().library(), ZMQ_ROUTER};
    std::vector<std::string> request_;
    std::vector<std::vector<std::string>> requests_;
};

}  // namespace muster
