#pragma once

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>

#include "tests/catch.hpp"

#include "tests/integration/support/cluster.hpp"

namespace muster::integration {

inline bool contains(const std::string& text, const std::string& word) {
    return text.find(word) != std::string::npos;
}

/// A number that a long run sets in the environment.
[[nodiscard]] inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::stoull(text);
}

/// The cluster of a test. The end of the test stops it with SIGTERM, and the test fails if anything
/// is left. A failing test shows the daemons' logs.
class Cluster : public RealCluster {
public:
    explicit Cluster(ClusterOptions options = {});
    ~Cluster();

private:
    int unwinding_ = std::uncaught_exceptions();
};

}  // namespace muster::integration
