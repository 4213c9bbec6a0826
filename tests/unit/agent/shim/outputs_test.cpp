// The path of a task's output through a shim, in the test's own threads.

#include <array>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>

#include "tests/catch.hpp"

#include "agent/shim/output.hpp"
#include "common/base/file_descriptor.hpp"
#include "tests/temporary_directory.hpp"

using namespace muster;

namespace {

// Writes as much of the text as fits; returns how much.
std::size_t put(shim::Ring& ring, std::string_view text) {
    std::size_t done = 0;
    while (done < text.size()) {
        std::size_t room = 0;
        char* to = ring.room(room);
        room = std::min(room, text.size() - done);
        if (room == 0) {
            break;
        }
        std::memcpy(to, text.data() + done, room);
        ring.put(room);
        done += room;
    }
    return done;
}

std::string take(shim::Ring& ring, std::size_t most) {
    std::string taken;
    while (taken.size() < most) {
        std::size_t size = 0;
        const char* from = ring.content(size);
        size = std::min(size, most - taken.size());
        if (size == 0) {
            break;
        }
        taken.append(from, size);
        ring.taken(size);
    }
    return taken;
}

std::string text_of(const std::string& path) {
    std::ifstream stream{path};
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// The output of a task with its own directory, and the task's ends of the pipes.
class TaskOutput {
public:
    TaskOutput() {
        order_.process = 7;
        order_.log_name = "web.0";
        order_.log_bytes = 1U << 20U;
        outputs_.open(order_, directory_.get(), directory_.get());
        REQUIRE(outputs_.make_pipes(out_, err_));
    }
    ~TaskOutput() {
        close_task();
        finish();
    }
    TaskOutput(const TaskOutput&) = delete;
    TaskOutput& operator=(const TaskOutput&) = delete;

    void print(const std::string& text) const {
        REQUIRE(write(out_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    void close_task() {
        for (int* end : {&out_, &err_}) {
            if (*end >= 0) {
                close(*end);
                *end = -1;
            }
        }
    }
    /// What a shim does at the end of its task.
    void finish() {
        if (is_finished_) {
            return;
        }
        is_finished_ = true;
        while (!outputs_.close_pipes(0, false)) {
        }
        outputs_.record(record.data(), record.size());
        while (!outputs_.is_done()) {
            pollfd progress{outputs_.progress(), POLLIN, 0};
            ::poll(&progress, 1, 20'000);
            outputs_.note_progress();
        }
        outputs_.join();
    }
    [[nodiscard]] std::string text(const std::string& name) const {
        return text_of(path_.below(name));
    }
    shim::Outputs& outputs() { return outputs_; }

    static constexpr std::string_view record = "the end";

private:
    TemporaryDirectory path_;
    FileDescriptor directory_{open(path_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    shim::Order order_;
    shim::Outputs outputs_;
    int out_ = -1;
    int err_ = -1;
    bool is_finished_ = false;
};

}  // namespace

TEST_CASE("a ring returns what was put into it, also across its end", "[shim][ring]") {
    shim::Ring ring;
    REQUIRE(ring.make());
    const std::string block(100'000, 'a');
    CHECK(put(ring, block) == block.size());
    CHECK(take(ring, 90'000) == std::string(90'000, 'a'));
    const std::string next(200'000, 'b');
    CHECK(put(ring, next) == next.size());
    CHECK(ring.filled() == 210'000);
    CHECK(take(ring, shim::Ring::bytes) == std::string(10'000, 'a') + next);
    CHECK(ring.filled() == 0);
}

TEST_CASE("a full ring has no room, and an empty one all of it", "[shim][ring]") {
    shim::Ring ring;
    REQUIRE(ring.make());
    CHECK(put(ring, std::string(shim::Ring::bytes + 1, 'x')) == shim::Ring::bytes);
    std::size_t room = 1;
    static_cast<void>(ring.room(room));
    CHECK(room == 0);
    ring.give_back();  // None of what it holds.
    CHECK(take(ring, shim::Ring::bytes) == std::string(shim::Ring::bytes, 'x'));
    ring.give_back();
    CHECK(put(ring, "again") == 5);
    CHECK(take(ring, 5) == "again");
}

TEST_CASE("one thread writes while another reads, and nothing is lost", "[shim][ring]") {
    constexpr std::uint32_t numbers = 1'000'000;
    shim::Ring ring;
    REQUIRE(ring.make());
    std::thread writer{[&] {
        for (std::uint32_t number = 0; number < numbers;) {
            std::array<char, sizeof number> bytes{};
            std::memcpy(bytes.data(), &number, sizeof number);
            number += put(ring, {bytes.data(), bytes.size()}) == bytes.size() ? 1U : 0U;
            if (number % 1'000 == 0) {
                ring.give_back();
            }
        }
    }};
    std::uint32_t expected = 0;
    while (expected < numbers) {
        const std::string bytes = take(ring, sizeof expected);
        if (bytes.empty()) {
            std::this_thread::yield();
            continue;
        }
        std::uint32_t number = 0;
        std::memcpy(&number, bytes.data(), sizeof number);
        REQUIRE(number == expected);
        ++expected;
    }
    writer.join();
}

TEST_CASE("a task's last output is written before the record of its end", "[shim][outputs]") {
    TaskOutput task;
    task.print("hello\n");
    task.outputs().pump(0, 1);
    task.print("and goodbye\n");
    task.close_task();
    task.finish();
    CHECK(task.text("web.0.out") == "hello\nand goodbye\n");
    CHECK(task.text("7.end") == TaskOutput::record);
    CHECK(task.outputs().is_recorded());
    CHECK(task.outputs().dropped() == 0);
}

TEST_CASE("a task without output has no thread and no file, but a record", "[shim][outputs]") {
    TaskOutput task;
    task.close_task();
    task.finish();
    CHECK(task.text("web.0.out").empty());
    CHECK(task.text("7.end") == TaskOutput::record);
}
