#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/agent.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/errands.hpp"

/// The fields of errands and of their answers. docs/protocol.md repeats them.
namespace muster::codec {

template <>
inline constexpr std::string_view tag<ReadLog> = "read_log";
template <>
inline constexpr std::string_view tag<SendSignal> = "signal";
template <>
inline constexpr std::string_view tag<Measure> = "measure";
template <>
inline constexpr std::string_view tag<LogPiece> = "log_piece";
template <>
inline constexpr std::string_view tag<Signalled> = "signalled";
template <>
inline constexpr std::string_view tag<Measured> = "measured";
template <>
inline constexpr std::string_view tag<ErrandFailed> = "errand_failed";

template <>
inline constexpr bool positional<InstanceUse> = true;

void fields(auto& visit, Like<ErrandStamp> auto& stamp) {
    visit("epoch", stamp.epoch, plain);
    visit("incarnation", stamp.incarnation, plain);
    visit("errand", stamp.number, plain);
}

void fields(auto& visit, Like<LogPosition> auto& position) {
    visit("file", position.file, plain.or_default());
    visit("offset", position.offset, plain.or_default());
}

void fields(auto& visit, Like<ReadLog> auto& errand) {
    fields(visit, errand.stamp);
    fields(visit, errand.id);
    visit("stream", errand.stream, plain.or_default());
    fields(visit, errand.from);
    visit("since_ms", errand.since_ms, plain.or_default());
    visit("bytes", errand.bytes, plain.or_default());
}

void fields(auto& visit, Like<SendSignal> auto& errand) {
    fields(visit, errand.stamp);
    visit("signal", errand.signal, text(limits::name_bytes));
    visit("ids", errand.ids, list(limits::instances_per_node));
}

void fields(auto& visit, Like<Measure> auto& errand) { fields(visit, errand.stamp); }

void fields(auto& visit, Like<LogPiece> auto& piece) {
    fields(visit, piece.stamp);
    fields(visit, piece.next);
    visit("gap", piece.gap, plain.or_default());
    visit("left", piece.left, plain.or_default());
    visit("data", piece.data, text(limits::log_piece_bytes));
}

void fields(auto& visit, Like<SignalFault> auto& fault) {
    fields(visit, fault.id);
    visit("detail", fault.detail, sentence(limits::detail_bytes));
}

void fields(auto& visit, Like<Signalled> auto& answer) {
    fields(visit, answer.stamp);
    visit("faults", answer.faults, list(limits::instances_per_node).or_default());
}

void fields(auto& visit, Like<InstanceUse> auto& use) {
    fields(visit, use.id);
    visit("cpu_us", use.cpu_us, plain);
    visit("memory_bytes", use.memory_bytes, plain);
    visit("processes", use.processes, plain);
}

void fields(auto& visit, Like<Measured> auto& answer) {
    fields(visit, answer.stamp);
    visit("at_us", answer.at_us, plain);
    visit("instances", answer.instances, list(limits::instances_per_node));
}

void fields(auto& visit, Like<ErrandFailed> auto& answer) {
    fields(visit, answer.stamp);
    visit("code", answer.code, plain);
    visit("detail", answer.detail, sentence(limits::sentence_bytes).or_default());
}

}  // namespace muster::codec
