#include "tests/integration/support/harness.hpp"

#include <filesystem>
#include <iostream>
#include <utility>

namespace muster::integration {

Cluster::Cluster(ClusterOptions options) : RealCluster{std::move(options)} {}

Cluster::~Cluster() {
    const bool thrown = std::uncaught_exceptions() != unwinding_;
    if (!thrown) {
        for (const auto& complaint : end()) {
            FAIL_CHECK(complaint);
        }
    }
    if (thrown || !Catch::getResultCapture().lastAssertionPassed()) {
        for (const auto& entry : std::filesystem::directory_iterator{directory()}) {
            if (entry.path().extension() == ".log") {
                std::cerr << "---- " << entry.path().filename().string() << "\n"
                          << text_of(entry.path().string());
            }
        }
    }
}

}  // namespace muster::integration
