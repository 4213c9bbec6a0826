// The codec against the public libraries that foreign programs use.

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/catch.hpp"
#include <msgpack.hpp>
#include <nlohmann/json.hpp>

#include "common/codec/codec.hpp"
#include "common/codec/shapes/printed_text.hpp"
#include "tests/unit/common/codec/codec_samples.hpp"

using namespace muster;
using codec_samples::Each;
using nlohmann::json;

namespace {

/// msgpack contents as JSON. Byte strings of 16 are ids, in JSON's form.
json json_of(const msgpack::object& object) {
    switch (object.type) {
        case msgpack::type::BOOLEAN: return object.via.boolean;
        case msgpack::type::POSITIVE_INTEGER: return object.via.u64;
        case msgpack::type::NEGATIVE_INTEGER: return object.via.i64;
        case msgpack::type::STR: return object.as<std::string>();
        case msgpack::type::BIN: {
            const std::string_view bytes{object.via.bin.ptr, object.via.bin.size};
            return to_string(
                ClusterId{codec::number_of(bytes.substr(0, 8)), codec::number_of(bytes.substr(8))});
        }
        case msgpack::type::ARRAY: {
            json array = json::array();
            for (std::uint32_t i = 0; i < object.via.array.size; ++i) {
                array.push_back(json_of(object.via.array.ptr[i]));
            }
            return array;
        }
        case msgpack::type::MAP: {
            json map = json::object();
            for (std::uint32_t i = 0; i < object.via.map.size; ++i) {
                const auto& pair = object.via.map.ptr[i];
                map[pair.key.as<std::string>()] = json_of(pair.val);
            }
            return map;
        }
        case msgpack::type::NIL:
        case msgpack::type::FLOAT32:
        case msgpack::type::FLOAT64:
        case msgpack::type::EXT: break;
    }
    return "a type that no message of ours has";
}

json unpacked(const std::string& frame) {
    const auto handle = msgpack::unpack(frame.data(), frame.size());
    return json_of(handle.get());
}

/// The values of a tree in the order of msgpack's arrays, without names. The caller's `skip` omits
/// enums on both sides, because msgpack has their numbers.
void flatten(const nlohmann::ordered_json& tree, std::vector<std::string>& into) {
    if (tree.is_structured()) {
        for (const auto& element : tree) {
            flatten(element, into);
        }
    } else {
        into.push_back(tree.dump());
    }
}

}  // namespace

// Goal: JSON and msgpack have the same content. Method: unpack with the public library and compare.
TEST_CASE("requests and replies have the same content in msgpack and in JSON", "[codec]") {
    Random random{11};
    std::string frame;
    for (int i = 0; i < 50; ++i) {
        Each<RequestBody>::sample(random, [&](const RequestBody& body) {
            const Request request{RequestId{random.next(), 1}, body};
            codec::encode(request, frame);
            CHECK(unpacked(frame) == json::parse(codec::to_json(request)));
        });
        Each<ReplyBody>::sample(random, [&](const ReplyBody& body) {
            const Reply reply{RequestId{random.next(), 1}, body};
            codec::encode(reply, frame);
            CHECK(unpacked(frame) == json::parse(codec::to_json(reply)));
        });
    }
}

TEST_CASE("control messages have the same content in msgpack and in JSON", "[codec]") {
    Random random{12};
    std::string frame;
    for (int i = 0; i < 50; ++i) {
        for (const AgentMessage& message :
             {AgentMessage{codec_samples::sample<Hello>(random)},
              AgentMessage{codec_samples::sample<Departure>(random)}}) {
            codec::encode(message, frame);
            CHECK(unpacked(frame) == json::parse(codec::to_json(message)));
        }
        for (const CoordinatorMessage& message :
             {CoordinatorMessage{codec_samples::sample<Welcome>(random)},
              CoordinatorMessage{codec_samples::sample<Refused>(random)}}) {
            codec::encode(message, frame);
            CHECK(unpacked(frame) == json::parse(codec::to_json(message)));
        }
    }
}

// Goal: the same for bulk messages. Method: compare only the values, in order. Enums differ by
// design, since msgpack has their numbers, so the samples have the first of each.
TEST_CASE("bulk messages have the values of their JSON in the same order", "[codec]") {
    Random random{13};
    std::string frame;
    for (int i = 0; i < 50; ++i) {
        auto report = codec_samples::sample<Report>(random);
        report.kind = ReportKind::same;
        report.host.readiness = Readiness::none;
        HostVitals vitals = std::exchange(report.vitals, {});
        vitals.at = CivilMs{1};  // Not empty.
        for (auto& instance : report.instances) {
            instance.state = InstanceState::pending;
        }
        codec::encode(AgentMessage{report}, frame);
        auto text = codec::to_json(AgentMessage{report});
        for (const std::string_view name : {"\"same\"", "\"pending\"", "\"none\""}) {
            for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
                text.replace(at, name.size(), "0");
            }
        }
        std::vector<std::string> packed;
        std::vector<std::string> named;
        flatten(nlohmann::ordered_json(unpacked(frame)), packed);
        flatten(nlohmann::ordered_json::parse(text), named);
        REQUIRE(packed.front() == "1");
        REQUIRE(named.front() == "\"report\"");
        CHECK(std::equal(packed.begin() + 1, packed.end(), named.begin() + 1, named.end()));
        report.vitals = vitals;  // A map: the order of its keys does not matter.
        codec::encode(AgentMessage{report}, frame);
        CHECK(unpacked(frame).back() ==
              json::parse(codec::to_json(AgentMessage{report})).at("vitals"));
    }
}

// Goal: a foreign packer may choose other forms. Method: keys in another order, an unknown key, an
// id as a text of 16 bytes, numbers wider than necessary.
TEST_CASE("a hello of a foreign packer is understood", "[codec]") {
    std::string frame;
    struct Sink {
        std::string& into;
        void write(const char* bytes, std::size_t size) { into.append(bytes, size); }
    } sink{frame};
    msgpack::packer<Sink> pack{sink};
    const std::string id = "0123456789abcdef";
    pack.pack_map(6);
    pack.pack(std::string{"incarnation"});
    pack.pack_fix_uint64(7);
    pack.pack(std::string{"colours"});
    pack.pack(std::vector<std::vector<std::string>>{{"red"}, {"blue", "green"}});
    pack.pack(std::string{"life"});
    pack.pack(id);
    pack.pack(std::string{"boot"});
    pack.pack_bin(16);
    pack.pack_bin_body(id.data(), 16);
    pack.pack(std::string{"name"});
    pack.pack(std::string{"n1"});
    pack.pack(std::string{"type"});
    pack.pack(std::string{"hello"});

    AgentMessage message;
    const auto result = codec::decode(frame, message);
    REQUIRE(result);
    const auto& hello = std::get<Hello>(message);
    CHECK(hello.name == "n1");
    CHECK(hello.incarnation == Incarnation{7});
    CHECK(hello.life == LifeId{0x3031323334353637ULL, 0x3839616263646566ULL});
    CHECK(hello.boot == BootId{0x3031323334353637ULL, 0x3839616263646566ULL});
    CHECK(hello.cluster.is_none());
}
