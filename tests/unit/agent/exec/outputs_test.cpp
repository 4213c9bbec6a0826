// The output of tasks: real processes that print too much, and files of those that have ended.

#include "agent/exec/shims/outputs.hpp"

#include <array>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "tests/catch.hpp"

#include "tests/temporary_directory.hpp"
#include "tests/unit/agent/exec/executor_host.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

TaskSpec shell_with(const std::string& script, std::uint64_t log_bytes) {
    TaskSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.log.max_bytes = log_bytes;
    return spec;
}

}  // namespace

// Goal: a task that prints without end fills no disk, and continues undisturbed.
// Method: a task prints more than the bound, in lines; check both files together.
TEST_CASE("the output of a task is kept in two files, each of half the bound", "[executor]") {
    Host host;
    const auto process = host.spawn(
        shell_with("i=0; while [ $i -lt 10000 ]; do echo line-$i; i=$((i + 1)); done", 65'536));
    host.await<ProcessEnded>(process);
    const auto kept = lines(host.text("logs/web.0.out.1") + host.output());
    CHECK(fs::file_size(host.directory() + "/logs/web.0.out.1") <= 32'768);
    CHECK(host.output().size() <= 32'768);
    // Only the oldest output is missing, and no line was cut.
    REQUIRE(kept.size() > 2'000);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        CHECK(kept[i] == "line-" + std::to_string(10'000 - kept.size() + i));
    }
}

// Goal: the bound holds for several tasks at once, and for a line without an end.
TEST_CASE("floods of several tasks are all bounded", "[executor]") {
    Host host;
    std::vector<ProcessId> floods;
    for (std::uint32_t i = 0; i < 4; ++i) {
        TaskSpec spec = shell_with(i < 2 ? "exec yes" : "exec cat /dev/zero", 65'536);
        floods.push_back(host.spawn(spec, {"flood", i}));
    }
    const auto file = [&](std::uint32_t i) {
        return host.directory() + "/logs/flood." + std::to_string(i) + ".out";
    };
    for (std::uint32_t i = 0; i < 4; ++i) {
        host.until([&] { return fs::exists(file(i) + ".1"); });
    }
    for (const auto flood : floods) {
        host.end(flood);
        host.await<ProcessEnded>(flood);
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
        CHECK(fs::file_size(file(i)) <= 32'768);
        CHECK(fs::file_size(file(i) + ".1") <= 32'768);
    }
}

// Goal: `logs --since` can find a moment. Method: the time index of a short output.
TEST_CASE("beside its output is the time when it was written", "[executor]") {
    Host host;
    const auto before = static_cast<std::uint64_t>(std::time(nullptr)) * 1'000;
    host.await<ProcessEnded>(host.shell("echo hello"));
    const std::string index = host.text("logs/web.0.out.times");
    REQUIRE(index.size() == 16);
    std::array<std::uint64_t, 2> moment{};
    std::memcpy(moment.data(), index.data(), index.size());
    CHECK(moment[0] >= before);
    CHECK(moment[1] == 0);
}

// Goal: short-lived instances leave a bounded amount of output behind.
// Method: instances end one after the other; one of them returned in the meantime.
TEST_CASE("the outputs of the last ended instances are kept", "[executor]") {
    Host host{{.ended_kept = 2}};
    const auto run = [&](std::uint32_t ordinal) {
        TaskSpec spec;
        spec.argv = {"echo", "hello"};
        const auto process = host.spawn(spec, {"web", ordinal});
        host.await<ProcessEnded>(process);
    };
    const auto kept = [&](std::uint32_t ordinal) {
        const auto file = fs::path{host.directory()} / ("logs/web." + std::to_string(ordinal));
        return fs::exists(file.string() + ".out");
    };
    for (std::uint32_t i = 0; i < 4; ++i) {
        run(i);
        host.executor().forget({"web", i});
        CHECK_FALSE(fs::exists(host.directory() + "/work/web." + std::to_string(i)));
        if (i == 1) {
            run(0);  // It returned, and runs or waits for its next start.
        }
    }
    CHECK(kept(0));
    CHECK_FALSE(kept(1));
    CHECK(kept(2));
    CHECK(kept(3));
}

TEST_CASE("files that an instance left in its own directory stay after its end", "[executor]") {
    Host host;
    host.await<ProcessEnded>(host.shell("echo precious > data"));
    host.executor().forget({"web", 0});
    CHECK(host.text("work/web.0/data") == "precious\n");
}

// Goal: a life that was cut short leaves no uncounted files.
// Method: the files of an earlier life, in a known order; two more instances end.
TEST_CASE("the outputs of an earlier life count as ended", "[executor]") {
    const TemporaryDirectory directory;
    const auto file = [&](const std::string& name) { return directory.path() + '/' + name; };
    const auto write = [&](const std::string& name, int seconds_ago) {
        write_file(file(name), "old", 0600);
        fs::last_write_time(file(name), fs::file_time_type::clock::now() - seconds_ago * 1s);
    };
    write("old.0.out", 30);
    write("old.0.err.1", 30);
    write("old.0.out.times", 30);
    write("stays.1.out", 25);
    write("a.1.out.1.out", 20);
    write("new.0.err", 10);
    write("strange", 60);

    Outputs outputs{2};
    outputs.open(directory.path());
    outputs.begins({"stays", 1});  // It is found running.
    outputs.ended({"more", 0});
    CHECK_FALSE(fs::exists(file("old.0.out")));
    CHECK_FALSE(fs::exists(file("old.0.err.1")));
    CHECK_FALSE(fs::exists(file("old.0.out.times")));
    CHECK_FALSE(fs::exists(file("a.1.out.1.out")));
    CHECK(fs::exists(file("new.0.err")));
    outputs.ended({"more", 1});
    CHECK_FALSE(fs::exists(file("new.0.err")));
    CHECK(fs::exists(file("stays.1.out")));
    CHECK(fs::exists(file("strange")));
}

// Goal: what a task puts in place of its output is neither waited for nor followed.
// Method: a task makes each kind of file under the names of its output; it starts once more.
TEST_CASE("a non-file that a task put in place of its output is replaced by a file", "[executor]") {
    Host host;
    const std::string precious = host.directory() + "/precious";
    write_file(precious, "precious", 0600);
    host.await<ProcessEnded>(
        host.shell(GENERATE("rm -f ../../logs/*; mkfifo ../../logs/web.0.out",
                            "rm -f ../../logs/*; mkfifo ../../logs/web.0.err",
                            "rm -f ../../logs/*; ln -s ../precious ../../logs/web.0.out",
                            "rm -f ../../logs/*; ln -s nowhere ../../logs/web.0.out",
                            "rm -f ../../logs/*; ln -s . ../../logs/web.0.out",
                            "rm -f ../../logs/*; mkdir -p ../../logs/web.0.out")));
    host.await<ProcessEnded>(host.shell("echo out; echo err >&2"));
    CHECK(host.output() == "out\n");
    CHECK(host.text("logs/web.0.err") == "err\n");
    CHECK_FALSE(fs::is_symlink(host.directory() + "/logs/web.0.out"));
    CHECK(host.text("precious") == "precious");
}

TEST_CASE("a FIFO with a reader is replaced, too", "[executor]") {
    Host host;
    const std::string fifo = host.directory() + "/logs/web.0.out";
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    const FileDescriptor reader{open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    host.await<ProcessEnded>(host.shell("echo out"));
    CHECK(host.output() == "out\n");
}
