#include "common/codec/msgpack/writer.hpp"

namespace muster::codec {

void MsgpackWriter::pairs(const Fields& fields) {
    for (const auto& field : fields) {
        text(field.name);
        field.use(*this, field);
    }
}

}  // namespace muster::codec
