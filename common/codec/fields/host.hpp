#pragma once

#include "common/base/limits.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/host_vitals.hpp"
#include "common/spec/placement.hpp"

/// The fields of what a host says of itself, as agents and answers to operators have them.
namespace muster::codec {

void fields(auto& visit, Like<HostVitals> auto& vitals) {
    visit("at", vitals.at, plain);
    visit("memory_free", vitals.memory_free, plain.or_default());
    visit("disk_free", vitals.disk_free, plain.or_default());
    visit("disk_bytes", vitals.disk_bytes, plain.or_default());
    visit("spawned", vitals.spawned, plain.or_default());
    visit("written", vitals.written, plain.or_default());
    visit("unable", vitals.unable, sentence(limits::detail_bytes).or_default());
}

void fields(auto& visit, Like<CapacityFrom> auto& from) {
    visit("cpu", from.cpu, text(limits::name_bytes).or_default());
    visit("memory", from.memory, text(limits::name_bytes).or_default());
}

}  // namespace muster::codec
