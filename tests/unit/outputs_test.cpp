// What tasks print: real processes that print too much, and files of those that have ended.

#include "agent/exec/outputs.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "tests/catch.hpp"

#include "tests/few_files.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/unit/executor_host.hpp"

using namespace muster;

// Goal: a task that prints without end fills no disk, and goes on undisturbed.
// Method: a task prints more than the bound, and once it was cut, something more.
TEST_CASE("the output of a running task is cut when it is too large", "[executor]") {
    Host host{{.bytes = 50'000, .tail_bytes = 1'000}};
    const auto process = host.shell(
        "i=0; while [ $i -lt 10000 ]; do echo line-$i; i=$((i + 1)); "
        "done; until [ -e go ]; do sleep 0.01; done; echo after");
    const std::string tail = "logs/web.0.out.1";
    host.until([&] {
        const auto kept = host.text(tail);
        return host.output().size() < 50'000 &&
               (host.output() + kept).find("line-9999\n") != std::string::npos;
    });
    CHECK(host.text(tail).size() == 1'000);
    CHECK_THAT(host.output(), Catch::Contains("[muster: "));
    CHECK_THAT(host.output(), Catch::Contains("web.0.out.1 has the last of them]\n"));

    write_file(host.directory() + "/work/web.0/go", "", 0600);
    host.await<ProcessEnded>(process);
    CHECK(lines(host.output()).back() == "after");
}

// Goal: nothing is written without a bound while the agent is busy, or by several at once.
// Method: four floods beside each other, each as fast as it can, and one look after their end.
TEST_CASE("floods of several tasks are all cut", "[executor]") {
    Host host{{.bytes = 50'000, .tail_bytes = 1'000}};
    std::vector<ProcessId> floods;
    for (std::uint32_t i = 0; i < 4; ++i) {
        TaskSpec spec;
        spec.argv = {"yes"};
        floods.push_back(host.spawn(spec, {"flood", i}));
    }
    const auto file = [&](std::uint32_t i) {
        return fs::path{host.directory()} / ("logs/flood." + std::to_string(i) + ".out");
    };
    const auto was_cut = [&](std::uint32_t i) { return fs::exists(file(i).string() + ".1"); };
    host.until([&] { return was_cut(0) && was_cut(1) && was_cut(2) && was_cut(3); });
    for (const auto flood : floods) {
        host.executor().kill({flood});
        host.await<ProcessEnded>(flood);
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
        host.until([&] { return fs::file_size(file(i)) <= 50'000; });
        CHECK(fs::file_size(file(i).string() + ".1") <= 1'000);
    }
}

// Goal: tasks that come and go leave no more than a bounded heap of output behind.
// Method: instances end one after the other; one of them came back meanwhile.
TEST_CASE("the outputs of the last instances that are no more are kept", "[executor]") {
    Host host{{.ended_kept = 2}};
    const auto run = [&](std::uint32_t ordinal) {
        TaskSpec spec;
        spec.argv = {"echo", "hello"};
        host.await<ProcessEnded>(host.spawn(spec, {"web", ordinal}));
    };
    const auto kept = [&](std::uint32_t ordinal) {
        const auto file = fs::path{host.directory()} / ("logs/web." + std::to_string(ordinal));
        CHECK(fs::exists(file.string() + ".out") == fs::exists(file.string() + ".err"));
        return fs::exists(file.string() + ".out");
    };
    for (std::uint32_t i = 0; i < 4; ++i) {
        run(i);
        host.executor().forget({"web", i});
        CHECK_FALSE(fs::exists(host.directory() + "/work/web." + std::to_string(i)));
        if (i == 1) {
            run(0);  // It is back, and runs or waits for its next start.
        }
    }
    CHECK(kept(0));
    CHECK_FALSE(kept(1));
    CHECK(kept(2));
    CHECK(kept(3));
}

TEST_CASE("what an instance left in its own directory stays when it is no more", "[executor]") {
    Host host;
    host.await<ProcessEnded>(host.shell("echo precious > data"));
    host.executor().forget({"web", 0});
    CHECK(host.text("work/web.0/data") == "precious\n");
}

// Goal: a life that was cut short leaves no files that nobody counts, nor any without a bound.
// Method: files as an earlier life left them, one of them far too large, in a known order.
TEST_CASE("the outputs of an earlier life are bounded at the next start", "[executor]") {
    const TemporaryDirectory directory;
    const auto file = [&](const std::string& name) { return directory.path() + '/' + name; };
    write_file(file("old.0.out"), "old", 0600);
    write_file(file("old.0.err.1"), "old", 0600);
    write_file(file("a.1.out.1.out"), std::string(1'001, 'x') + "end", 0600);
    write_file(file("new.0.err"), "new", 0600);
    write_file(file("strange"), "", 0600);
    const auto age = [&](const std::string& name, int seconds) {
        fs::last_write_time(file(name), fs::file_time_type::clock::now() - seconds * 1s);
    };
    age("old.0.out", 30);
    age("old.0.err.1", 30);
    age("a.1.out.1.out", 20);
    age("new.0.err", 10);

    Outputs outputs{{.bytes = 1'000, .tail_bytes = 3, .ended_kept = 2}};
    REQUIRE(outputs.open(directory.path()));
    CHECK_FALSE(fs::exists(file("old.0.out")));
    CHECK_FALSE(fs::exists(file("old.0.err.1")));
    CHECK(fs::file_size(file("a.1.out.1.out")) < 1'000);
    std::string tail;
    std::ifstream{file("a.1.out.1.out.1")} >> tail;
    CHECK(tail == "end");
    CHECK(fs::exists(file("new.0.err")));
    CHECK(fs::exists(file("strange")));
}

// Goal: what a task puts in place of its output is neither waited for nor followed.
// Method: a task makes each kind of file under the names of its output; it starts once more.
TEST_CASE("what a task put in place of its output gives way to a file", "[executor]") {
    Host host;
    const std::string precious = host.directory() + "/precious";
    write_file(precious, "precious", 0600);
    host.await<ProcessEnded>(
        host.shell(GENERATE("rm ../../logs/*; mkfifo ../../logs/web.0.out",
                            "rm ../../logs/*; mkfifo ../../logs/web.0.err",
                            "rm ../../logs/*; ln -s ../precious ../../logs/web.0.out",
                            "rm ../../logs/*; ln -s nowhere ../../logs/web.0.out",
                            "rm ../../logs/*; ln -s . ../../logs/web.0.out",
                            "rm ../../logs/*; mkdir -p ../../logs/web.0.out/full")));
    host.await<ProcessEnded>(host.shell("echo out; echo err >&2"));
    CHECK(host.output() == "out\n");
    CHECK(host.text("logs/web.0.err") == "err\n");
    CHECK_FALSE(fs::is_symlink(host.directory() + "/logs/web.0.out"));
    CHECK(host.text("precious") == "precious");
}

TEST_CASE("a FIFO with a reader is no output either", "[executor]") {
    Host host;
    const std::string fifo = host.directory() + "/logs/web.0.out";
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    const FileDescriptor reader{open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    host.await<ProcessEnded>(host.shell("echo out"));
    CHECK(host.output() == "out\n");
}

// Goal: a cut empties nothing but an output, and hangs on nothing.
// Method: what is too large has each kind of file in the place of its `.1`.
TEST_CASE("what was put in place of a tail gives way to it", "[executor]") {
    const TemporaryDirectory directory;
    const std::string logs = directory.below("logs");
    const std::string tail = logs + "/web.0.out.1";
    const std::string precious = directory.below("precious");
    fs::create_directory(logs);
    write_file(precious, "precious", 0600);
    write_file(logs + "/web.0.out", std::string(1'001, 'x') + "end", 0600);
    SECTION("a FIFO") { REQUIRE(mkfifo(tail.c_str(), 0600) == 0); }
    SECTION("a link to a file") { fs::create_symlink(precious, tail); }
    SECTION("a link to nothing") { fs::create_symlink("nowhere", tail); }
    SECTION("a directory") { fs::create_directories(tail + "/full"); }

    Outputs outputs{{.bytes = 1'000, .tail_bytes = 3}};
    REQUIRE(outputs.open(logs));
    CHECK(fs::is_regular_file(fs::symlink_status(tail)));
    CHECK(fs::file_size(tail) == 3);
    CHECK(fs::file_size(logs + "/web.0.out") < 1'000);
    CHECK(fs::file_size(precious) == 8);
    CHECK_FALSE(fs::exists(logs + "/nowhere"));
}

TEST_CASE("a link to a large file is not cut", "[executor]") {
    const TemporaryDirectory directory;
    const std::string logs = directory.below("logs");
    const std::string precious = directory.below("precious");
    fs::create_directory(logs);
    write_file(precious, std::string(1'001, 'x'), 0600);
    fs::create_symlink(precious, logs + "/web.0.out");
    Outputs outputs{{.bytes = 1'000, .tail_bytes = 3}};
    REQUIRE(outputs.open(logs));
    CHECK(fs::file_size(precious) == 1'001);
}

// Goal: an agent without a free file still bounds what its tasks print.
// Method: a task prints too much at once when no more files can be opened.
TEST_CASE("output is cut also when no file can be opened any more", "[executor]") {
    Host host{{.bytes = 50'000, .tail_bytes = 1'000}};
    host.shell(
        "until [ -e go ]; do sleep 0.01; done; dd if=/dev/zero bs=60000 count=1; exec sleep 1000");
    const std::string own = host.directory() + "/work/web.0/";
    host.until([&] { return fs::exists(own); });
    write_file(own + "ready", "", 0600);
    bool was_cut = false;
    {
        const FewFiles none;
        fs::rename(own + "ready", own + "go");
        was_cut = host.comes_true([&] {
            const auto size = fs::file_size(host.directory() + "/logs/web.0.out");
            return size > 0 && size < 50'000;
        });
    }
    CHECK(was_cut);
    CHECK_THAT(host.output(), Catch::Contains("[muster: 60000 bytes were cut off here; "));
}
