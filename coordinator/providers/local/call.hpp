#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.hpp"

/// One call of a coordinator to this provider: `list`, `provision N` or `remove ID` on the command
/// line, and a JSON object on standard input. The answer is one JSON object.
namespace muster::local_provider {

struct List {};
struct Provision {
    std::uint32_t count = 0;
};
struct Remove {
    std::string id;
};
using Verb = std::variant<List, Provision, Remove>;

/// What standard input says.
struct Subject {
    std::string cluster;
    std::string pool;     ///< Empty for `list`.
    std::string request;  ///< Empty unless nodes are provisioned.
};

/// A node that this provider made. Its id and its name are the same.
struct NodeRecord {
    std::string cluster;
    std::string pool;
    std::string request;
    std::string node;
    std::string address;  ///< Its label `address`, for the traffic of the pool.

    friend bool operator==(const NodeRecord&, const NodeRecord&) = default;
};

/// At the end of the words of a command line. Returns how many words it takes.
struct VerbAtEnd {
    Verb verb;
    int words = 0;
};
[[nodiscard]] Result<VerbAtEnd> verb_in(int argc, const char* const* argv);

[[nodiscard]] Result<Subject> subject_in(const std::string& json, const Verb& verb);

[[nodiscard]] std::string listed(const std::vector<NodeRecord>& nodes);
[[nodiscard]] std::string granted(std::uint32_t count);
[[nodiscard]] std::string removed();

}  // namespace muster::local_provider
