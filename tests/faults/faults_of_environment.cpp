#include <cstdlib>
#include <string>

#include "tests/faults/fault_vfs.hpp"

// A daemon that links this file fails file operations as `TEST_FILE_FAULT=KIND:NUMBER` says.
namespace muster::faults {
namespace {

FileFault::Kind kind_of(const std::string& name) {
    return name == "kill" ? FileFault::Kind::kill : FileFault::Kind::torn_kill;
}

const bool is_armed = [] {
    const char* const text = std::getenv("TEST_FILE_FAULT");
    if (text == nullptr) {
        return false;
    }
    const std::string fault{text};
    const std::size_t colon = fault.find(':');
    FaultVfs::install().arm(FileFault{.kind = kind_of(fault.substr(0, colon)),
                                      .at = std::strtoull(text + colon + 1, nullptr, 10),
                                      .lasts = true});
    return true;
}();

}  // namespace
}  // namespace muster::faults
