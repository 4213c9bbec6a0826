#include "coordinator/recorder/core_state.hpp"

#include "common/codec/state_reader.hpp"
#include "common/codec/state_writer.hpp"
#include "coordinator/recorder/core_fields.hpp"

namespace muster::coordinator {

std::string save_core(const Coordinator& core) {
    std::string bytes;
    std::string scratch;
    codec::StateWriter<CoreFields::OfCore> writer{bytes, scratch};
    CoreFields::OfCore::fields(writer, CoreFields::OfCore::state_of(core));
    return bytes;
}

Result<std::unique_ptr<Coordinator>> restore_core(std::string_view bytes, const SecretKey& key) {
    auto core = std::make_unique<Coordinator>(Instant{}, CoordinatorOptions{}, StoreImage{});
    codec::Cursor cursor{bytes};
    codec::StateReader<CoreFields::OfCore> reader{cursor};
    CoreFields::OfCore::fields(reader, CoreFields::OfCore::state_of(*core));
    if (const auto read = cursor.finish("state of a core"); !read) {
        return tl::unexpected{read.error()};
    }
    CoreFields::OfCore::proofs_of(*core).resume(key);
    CoreFields::OfCore::audit_of(*core).resume(key);
    return core;
}

void expect_proof_checks(Coordinator& core, std::string_view checks) {
    CoreFields::OfCore::proofs_of(core).expect(checks);
}

std::string node_at(const Coordinator& core, Session session) {
    const NodeRegistry& nodes = CoreFields::OfCore::nodes_of(core);
    const auto index = nodes.find(session);
    return index ? nodes[*index].name : std::string{};
}

}  // namespace muster::coordinator
