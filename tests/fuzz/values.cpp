#include <string_view>

#include "agent/exec/launch/process_mark.hpp"
#include "agent/options.hpp"
#include "common/base/ensure.hpp"
#include "common/base/ids.hpp"
#include "common/codec/codec.hpp"
#include "common/log/log.hpp"
#include "common/net/endpoint.hpp"
#include "common/spec/duration.hpp"
#include "coordinator/options.hpp"
#include "tests/fuzz/targets.hpp"

// Values of one word: durations, ids, endpoints and the like.
namespace muster::fuzz {

void fuzz_value(std::string_view input) {
    if (const auto duration = parse_duration(input)) {
        const auto again = parse_duration(to_string(*duration));
        ensure(again && *again == *duration, "a duration is read as it is written");
    }
    if (const auto instance = parse_instance(input)) {
        ensure(parse_instance(to_string(*instance)) == instance, "an instance is read as written");
    }
    if (const auto id = parse_id<RequestId>(input)) {
        ensure(parse_id<RequestId>(to_string(*id)) == id, "an id is read as it is written");
    }
    if (const auto mark = agent::parse_process_mark(input)) {
        ensure(agent::parse_process_mark(to_string(*mark)) == mark,
               "a mark is read as it is written");
    }
    if (const auto endpoint = net::endpoint_to_bind(input)) {
        const auto again = net::endpoint_to_bind(*endpoint);
        ensure(again && *again == *endpoint, "an endpoint stays what it is");
    }
    if (const auto endpoint = net::endpoint_to_connect(input)) {
        const auto again = net::endpoint_to_connect(*endpoint);
        ensure(again && *again == *endpoint, "an endpoint stays what it is");
    }
    static_cast<void>(coordinator::http_endpoint(input));
    static_cast<void>(log::parse_level(input));
    static_cast<void>(codec::check_version(input));
    const auto name = agent::node_name_of_host(input);
    ensure(name.empty() || is_valid_name(name), "a host's name is made a node's");
}

}  // namespace muster::fuzz
