#include <concepts>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tests/catch.hpp"

#include "common/codec/codec.hpp"
#include "common/codec/fields/spec.hpp"
#include "common/spec/spec.hpp"

// The digest of a spec decides whether a task is restarted: nodes and the coordinator compare it
// after an upgrade. So the digests on record never change. If one has changed, the change has a
// bug; do not regenerate the file.
namespace muster {
namespace {

// ---- a value as text, and a different value ----

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(std::integral auto value) { return std::to_string(value); }
std::string text_of(Duration value) { return std::to_string(value.count()); }
std::string text_of(Named auto value) { return std::string{to_string(value)}; }
std::string text_of(const std::string& value) { return value; }
std::string text_of(const std::vector<std::string>& values) {
    std::string all;
    for (const std::string& value : values) {
        all += value + '\n';
    }
    return all;
}
std::string text_of(const std::map<std::string, std::string>& values) {
    std::string all;
    for (const auto& [name, value] : values) {
        all += name + '=' + value + '\n';
    }
    return all;
}
std::string text_of(const std::map<std::string, Rlimit>& values) {
    std::string all;
    for (const auto& [name, value] : values) {
        all += name + '=' + text_of(raw(value.soft)) + ':' + text_of(raw(value.hard)) + '\n';
    }
    return all;
}

void change(bool& value) { value = !value; }
void change(std::integral auto& value) { ++value; }
void change(Duration& value) { value += 1ms; }
void change(RestartPolicy& value) { value = RestartPolicy::never; }
void change(Sandbox& value) { value = Sandbox::strict; }
void change(std::string& value) { value += 'x'; }
void change(std::vector<std::string>& values) { values.emplace_back("x"); }
void change(std::map<std::string, std::string>& values) { values["x"] = "y"; }
void change(std::map<std::string, Rlimit>& values) { values["core"] = {}; }

// ---- a spec, field by field ----

/// Walks the codec's description of a spec, down to fields that are not structs.
class Walk {
public:
    struct Field {
        std::string path;  ///< `restart.backoff_ms`.
        std::string value;

        friend bool operator==(const Field&, const Field&) = default;
    };

    explicit Walk(TaskSpec& spec, std::size_t changed = no_field) : changed_{changed} {
        codec::fields(*this, spec);
    }

    void operator()(std::string_view name, auto& member, const codec::Rule& /*rule*/) {
        const std::string outer = path_;
        path_ += name;
        if (outer.empty()) {
            members.insert(&member);
        }
        if constexpr (requires { codec::fields(*this, member); }) {
            path_ += '.';
            codec::fields(*this, member);
        } else {
            if (leaves.size() == changed_) {
                change(member);
            }
            leaves.push_back({path_, text_of(member)});
        }
        path_ = outer;
    }

    static constexpr std::size_t no_field = ~std::size_t{0};

    std::vector<Field> leaves;
    std::set<const void*> members;  ///< Members of the spec itself.

private:
    std::size_t changed_;
    std::string path_;
};

TaskSpec plain_spec() {
    TaskSpec spec;
    spec.argv = {"/bin/server"};
    return spec;
}

// ---- the record ----

struct OnRecord {
    std::string digest;
    std::string task;  ///< In the form of a JSON request.
    TaskSpec spec;
};

/// One line each: a digest, then a task. Lines that begin with `#` are comments.
std::vector<OnRecord> specs_on_record() {
    std::ifstream file{MUSTER_SOURCE_DIR "/tests/data/spec_digests.txt"};
    std::vector<OnRecord> specs;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.starts_with('#')) {
            continue;
        }
        const std::size_t space = line.find(' ');
        REQUIRE(space != std::string::npos);
        OnRecord one{line.substr(0, space), line.substr(space + 1), {}};
        CAPTURE(one.task);
        const auto request =
            codec::request_from_json(R"({"verb":"task add","task":)" + one.task + "}");
        REQUIRE(request);
        const WantedTask& task = std::get<TaskAddRequest>(request->body).task;
        const auto valid = validate(task);
        CAPTURE(valid ? "" : valid.error().detail);
        REQUIRE(valid);
        one.spec = task.spec;
        specs.push_back(std::move(one));
    }
    return specs;
}

// Goal: an upgrade restarts no task.
TEST_CASE("the specs on record have the digests on record", "[spec]") {
    for (const OnRecord& one : specs_on_record()) {
        CAPTURE(one.task);
        CHECK(to_string(digest_of(one.spec)) == one.digest);
    }
}

// Method: a field is on record if a spec there has a value other than a plain spec has.
TEST_CASE("each field of a spec is on record with its default and with another value", "[spec]") {
    TaskSpec plain = plain_spec();
    const auto defaults = Walk{plain}.leaves;
    std::set<std::string> missing_default;
    std::set<std::string> missing_other;
    for (const Walk::Field& field : defaults) {
        missing_default.insert(field.path);
        missing_other.insert(field.path);
    }
    for (OnRecord& one : specs_on_record()) {
        const auto fields = Walk{one.spec}.leaves;
        REQUIRE(fields.size() == defaults.size());
        for (std::size_t i = 0; i < fields.size(); ++i) {
            (fields[i] == defaults[i] ? missing_default : missing_other).erase(fields[i].path);
        }
    }
    CHECK(missing_default == std::set<std::string>{});
    CHECK(missing_other == std::set<std::string>{});
}

TEST_CASE("each field of a spec changes its digest", "[spec]") {
    TaskSpec plain = plain_spec();
    const auto defaults = Walk{plain}.leaves;
    std::set<std::string> digests{to_string(digest_of(plain))};
    for (std::size_t i = 0; i < defaults.size(); ++i) {
        CAPTURE(defaults[i].path);
        TaskSpec other = plain;
        CHECK(Walk{other, i}.leaves[i] != defaults[i]);
        CHECK(digests.insert(to_string(digest_of(other))).second);
    }
}

// Goal: a new field is in the description, and so in the tests above. Method: decompose a whole
// spec, so that a new member does not compile here.
TEST_CASE("the description of a spec has all of its members", "[spec]") {
    TaskSpec spec;
    auto& [argv, env, env_files, workdir, user, user_group, umask, nice, rlimits, limits,
           start_timeout, pre_start, post_stop, secrets, stop_signal, grace, restart, max_per_node,
           update, exclusive, log, sandbox, cluster_secrets, signature] = spec;
    const std::set<const void*> members{&argv,      &env,          &env_files,       &workdir,
                                        &user,      &user_group,   &umask,           &nice,
                                        &rlimits,   &limits,       &start_timeout,   &pre_start,
                                        &post_stop, &secrets,      &stop_signal,     &grace,
                                        &restart,   &max_per_node, &update,          &exclusive,
                                        &log,       &sandbox,      &cluster_secrets, &signature};
    CHECK(Walk{spec}.members == members);
}

}  // namespace
}  // namespace muster
