#include "common/messages/errands.hpp"

namespace muster {

std::string_view to_string(LogStream stream) {
    switch (stream) {
        case LogStream::out: return "stdout";
        case LogStream::err: return "stderr";
    }
    return "unknown";
}

}  // namespace muster
