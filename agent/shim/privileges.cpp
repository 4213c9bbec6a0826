#include "agent/shim/privileges.hpp"

#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::shim {

namespace {

// As in linux/capability.h, which the small C library does not have. A set has two halves.
struct CapabilityHeader {
    uint32_t version = 0x20080522;
    int32_t pid = 0;  // This process.
};
struct CapabilitySets {
    uint32_t effective = 0;
    uint32_t permitted = 0;
    uint32_t inheritable = 0;
};

}  // namespace

void close_capabilities() {
    // Until the first number that the kernel does not know, or at once without the privilege.
    for (unsigned long number = 0; prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0; ++number) {
    }
}

bool give_up_privileges() {
    const CapabilityHeader header;
    const CapabilitySets none[2];
    return syscall(SYS_capset, &header, none) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

}  // namespace muster::shim
