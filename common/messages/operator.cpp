#include "common/messages/operator.hpp"

namespace muster {

std::string_view to_string(Subject subject) {
    switch (subject) {
        case Subject::instance: return "instance";
        case Subject::task: return "task";
        case Subject::node: return "node";
    }
    return "unknown";
}

}  // namespace muster
