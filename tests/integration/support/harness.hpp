#pragma once

#include <exception>
#include <string>

#include "tests/catch.hpp"

#include "tests/integration/support/cluster.hpp"

namespace muster::integration {

inline bool says(const std::string& text, const std::string& word) {
    return text.find(word) != std::string::npos;
}

/// The cluster of a test. When the test is over it is ended politely, and the test fails if
/// something of it is left behind. A test that fails shows what the daemons wrote.
class Cluster : public RealCluster {
public:
    explicit Cluster(ClusterOptions options = {});
    ~Cluster();

private:
    int unwinding_ = std::uncaught_exceptions();
};

}  // namespace muster::integration
