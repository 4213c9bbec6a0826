#include <concepts>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tests/catch.hpp"

#include "common/codec/fields/agent.hpp"
#include "common/codec/fields/operator.hpp"
#include "common/codec/verb_table.hpp"
#include "coordinator/recorder/core_fields.hpp"
#include "coordinator/recorder/record_fields.hpp"
#include "coordinator/recorder/record_file.hpp"
#include "coordinator/recorder/step_record.hpp"

// The record version must grow with every change of the recorded data. So that nobody has to
// remember it, a data file has the version with a fingerprint of everything that a recorder writes.
namespace muster::coordinator {
namespace {

/// The fields of wire forms by name and kind, from the codec's description.
class WireShape {
public:
    explicit WireShape(std::string& into) : into_{into} {}

    template <class T>
    void of(T value) {
        if constexpr (requires { codec::fields(*this, value); }) {
            into_ += codec::positional<T> ? '[' : '{';
            codec::fields(*this, value);  // Not const: then nothing is omitted as a default.
            into_ += '}';
        } else {
            put(value);
        }
        into_ += ' ';
    }
    void operator()(std::string_view name, auto& member, codec::Rule /*rule*/) {
        into_ += name;
        into_ += ':';
        of(member);
    }

private:
    template <Named E>
    void put(const E&) {
        into_ += names_of<E>();
    }
    template <class T>
    void put(const std::optional<T>&) {
        into_ += "maybe ";
        of(T{});
    }
    template <class T>
    void put(const std::vector<T>&) {
        into_ += "list ";
        of(T{});
    }
    template <class T>
    void put(const std::map<std::string, T>&) {
        into_ += "map ";
        of(T{});
    }
    template <class... T>
    void put(const std::variant<T...>&) {
        ((into_ += codec::tag<T>, of(T{})), ...);
    }
    template <class Variant>
    void put(const OutOfLine<Variant>&) {
        put(Variant{});
    }
    template <class T>
    void put(const T&) {
        into_ += std::is_same_v<T, std::string> ? "text" : std::is_class_v<T> ? "value" : "number";
    }

    std::string& into_;
};

/// The names and kinds of all fields that StateWriter writes, in its order, including elements of
/// lists and every alternative of a variant.
template <class Fields>
class RecordShape {
public:
    explicit RecordShape(std::string& into) : into_{into} {}

    template <class T>
    void of(const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            into_ += "truth";
        } else if constexpr (std::is_enum_v<T>) {
            of(std::underlying_type_t<T>{});
        } else if constexpr (std::is_integral_v<T>) {
            into_ += std::is_signed_v<T> ? "signed" : "unsigned";
            into_ += std::to_string(8 * sizeof value);
        } else if constexpr (requires { Fields::write(value, into_); }) {
            wire(value);
        } else if constexpr (requires { Fields::fields(*this, value); }) {
            Fields::fields(*this, value);
        } else {
            put(value);
        }
        into_ += ' ';
    }
    void of(const codec::NotRecorded& /*member*/) {}
    template <class... T>
    void operator()(std::string_view names, const T&... values) {
        into_ += '{';
        into_ += names;
        into_ += ": ";
        (of(values), ...);
        into_ += "}\n";
    }

private:
    template <class T>
    void wire(const T& value) {
        WireShape{into_}.of(value);
    }
    void wire(const CoreRequest& request) { WireShape{into_}.of(request.body); }
    void wire(const Reply& /*reply*/) { WireShape{into_}.of(ReplyBody{}); }
    void wire(const Result<ReplyBody>& /*result*/) { WireShape{into_}.of(ReplyBody{}); }

    void put(const std::string& /*value*/) { into_ += "text"; }
    void put(std::string_view /*value*/) { into_ += "text"; }
    void put(Duration /*value*/) { into_ += "duration"; }
    void put(Instant /*value*/) { into_ += "instant"; }
    void put(std::monostate /*value*/) { into_ += "nothing"; }
    template <class Tag>
    void put(const Id128<Tag>& /*id*/) {
        into_ += "id";
    }
    template <class... T>
    void put(const std::variant<T...>& /*value*/) {
        into_ += "one of ";
        (of(T{}), ...);
    }
    template <class... T>
    void put(const std::tuple<T...>& /*value*/) {
        into_ += "all of ";
        (of(T{}), ...);
    }
    template <class A, class B>
    void put(const std::pair<A, B>& /*value*/) {
        into_ += "pair ";
        of(A{});
        of(B{});
    }
    /// std::optional, Boxed, Shared.
    template <template <class> class Maybe, class T>
        requires requires(const Maybe<T>& value) { *value; }
    void put(const Maybe<T>& /*value*/) {
        into_ += "maybe ";
        of(T{});
    }
    template <class List>
        requires requires { typename List::value_type; }
    void put(const List& /*values*/) {
        into_ += "list ";
        if constexpr (requires { typename List::mapped_type; }) {
            of(std::pair<typename List::key_type, typename List::mapped_type>{});
        } else {
            of(typename List::value_type{});
        }
    }

    std::string& into_;
};

std::string shape_of_records() {
    std::string shape;
    const Coordinator core{Instant{}, CoordinatorOptions{}, StoreImage{}};
    RecordShape<CoreFields::OfCore> state{shape};
    CoreFields::OfCore::fields(state, CoreFields::OfCore::state_of(core));
    RecordShape<RecordFields> records{shape};
    records.of(RecordHead{});
    records.of(RecordedInput{});
    records.of(Outcome{});
    records.of(std::tuple<std::vector<Persist>, std::vector<PollTo>, std::vector<ReplyTo>>{});
    return shape;
}

/// A few records in file form: names and kinds do not determine the encoding.
std::string bytes_of_records() {
    StepEncoder encoder;
    Output output;
    output.polls = {{Session{7}, Poll{.epoch = Epoch{1}, .round = Round{2}}}};
    output.messages = {{Session{7}, Refused{.code = Errc::busy, .detail = "later"}}};
    Event& event = output.events.emplace_back();
    event.epoch = Epoch{1};
    event.topic = "node.lost";
    event.name = "n1";
    std::string bytes{encoder.head({.version = "1", .began = Instant{1h}})};
    bytes += encoder.input(Instant{1h}, SessionClosed{Session{7}});
    bytes += encoder.outcome(output);
    return bytes;
}

std::string fingerprint() {
    std::ostringstream text;
    text << std::hex << checksum_of(shape_of_records() + bytes_of_records());
    return text.str();
}

struct Version {
    std::uint32_t number = 0;
    std::string fingerprint;
};

/// One line each. Lines that begin with `#` are comments.
std::vector<Version> versions_on_record() {
    std::ifstream file{MUSTER_SOURCE_DIR "/tests/data/record_versions.txt"};
    std::vector<Version> versions;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with('#')) {
            std::istringstream words{line};
            Version version;
            REQUIRE(words >> version.number >> version.fingerprint);
            versions.push_back(version);
        }
    }
    return versions;
}

// Goal: a change of the recorded data requires a new version. Method: a fingerprint over the names
// and kinds of all fields, including wire forms, and over the bytes of a few records.
TEST_CASE("the recorder's format is on record with its version", "[recorder]") {
    const auto versions = versions_on_record();
    REQUIRE_FALSE(versions.empty());
    const std::uint32_t present = version_of_record(record_magic).value();
    const Version& last = versions.back();
    const bool is_new_version = last.number != present;
    if (last.fingerprint != fingerprint() || is_new_version) {
        FAIL(
            "What the recorder writes has changed. Raise the version in record_magic "
            "(coordinator/recorder/record_file.hpp) above "
            << last.number << " and add this line to tests/data/record_versions.txt: "
            << (is_new_version ? present : present + 1) << ' ' << fingerprint()
            << "\nrecorder_tests \"[.record-shape]\" prints what the recorder writes.");
    }
    for (std::size_t i = 1; i < versions.size(); ++i) {
        CHECK(versions[i].number == versions[i - 1].number + 1);
        CHECK(versions[i].fingerprint != versions[i - 1].fingerprint);
    }
}

TEST_CASE("the shape of records is printed for a comparison", "[.record-shape]") {
    std::cout << shape_of_records() << std::flush;
}

TEST_CASE("a first line without a version is not a record", "[recorder]") {
    for (const std::string_view line :
         {"MUSTER RECORD \n", "MUSTER RECORD x\n", "MUSTER RECORD 2", "MUSTER RECORD 2x\n",
          "MUSTER RECORD -1\n", "MUSTER RECORD 99999999999\n", "MUSTER\n", ""}) {
        CAPTURE(line);
        CHECK_FALSE(version_of_record(line));
        const auto refused = RecordReader::open(line);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::malformed);
    }
}

}  // namespace
}  // namespace muster::coordinator
