#include "agent/shim/shim.hpp"

int main() {
    static muster::shim::Shim shim;
    shim.run();
    return 0;
}
