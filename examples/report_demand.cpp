// Says every second how much of a pool is needed, as report_demand.py does, with cppzmq alone.
//
//   report_demand tcp://127.0.0.1:7701 POOL REPORTER < AMOUNTS
//
// Each line of the input is the amount from now on. At the end it needs nothing any more. For a
// coordinator without keys, or its local socket.

#include <cstdlib>
#include <ctime>
#include <iostream>
#include <poll.h>
#include <string>
#include <unistd.h>

#include <zmq.hpp>

namespace {

// An answer that is an error has "ok": false and says why.
bool report(zmq::socket_t& socket, const std::string& request) {
    static_cast<void>(socket.send(zmq::buffer(request)));
    zmq::message_t answer;
    if (!socket.recv(answer)) {
        std::cerr << "no answer; is that the endpoint of a coordinator for operators?\n";
        return false;
    }
    const bool is_ok = answer.to_string().find("\"ok\":true") != std::string::npos;
    std::cerr << (is_ok ? "" : answer.to_string() + '\n');
    return is_ok;
}

// Waits for a second at most. False: the input has ended.
bool read_amount(std::string& input, std::string& amount) {
    pollfd look{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (poll(&look, 1, 1000) <= 0) {
        return true;
    }
    char bytes[256];
    const ssize_t size = read(STDIN_FILENO, bytes, sizeof bytes);
    input.append(bytes, size > 0 ? static_cast<std::size_t>(size) : 0);
    for (std::size_t end = input.find('\n'); end != std::string::npos; end = input.find('\n')) {
        amount = std::to_string(std::strtoull(input.c_str(), nullptr, 10));
        input.erase(0, end + 1);
    }
    return size > 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: report_demand ENDPOINT POOL REPORTER < AMOUNTS\n";
        return 2;
    }
    zmq::context_t context;
    zmq::socket_t socket{context, zmq::socket_type::req};
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvtimeo, 5000);
    socket.connect(argv[1]);
    // The life is higher after each start, and the sequence with each request: then a request that
    // was overtaken has no effect. Names have no characters that JSON would escape.
    const std::string begin = R"({"verb": "demand set", "ttl_ms": 10000, "reporter": ")" +
                              std::string{argv[3]} + R"(", "needs": [{"pool": ")" + argv[2] +
                              R"(", "amount": )";
    const std::string life = std::to_string(std::time(nullptr));
    std::string input;
    std::string amount = "0";
    bool has_more = true;
    for (int sequence = 1; has_more; ++sequence) {
        has_more = read_amount(input, amount);
        const std::string end =
            "}], \"life\": " + life + ", \"sequence\": " + std::to_string(sequence) + "}";
        if (!report(socket, begin + (has_more ? amount : "0") + end)) {
            return 1;
        }
    }
    return 0;
}
