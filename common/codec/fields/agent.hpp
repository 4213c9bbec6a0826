#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/placement.hpp"
#include "common/codec/fields/spec.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/message.hpp"

/// The fields of the messages between agents and coordinator. docs/reference/protocol.md repeats
/// them.
namespace muster::codec {

template <OneOf<InstanceState, ReportKind, Readiness> E>
inline constexpr bool by_number<E> = true;
template <>
inline constexpr std::optional<Errc> of_later_version<Errc> = Errc::refused;

template <>
inline constexpr std::string_view tag<Hello> = "hello";
template <>
inline constexpr std::string_view tag<Report> = "report";
template <>
inline constexpr std::string_view tag<Ack> = "ack";
template <>
inline constexpr std::string_view tag<Departure> = "departure";
template <>
inline constexpr std::string_view tag<NewKey> = "new_key";
template <>
inline constexpr std::string_view tag<KeyRegistered> = "key_registered";
template <>
inline constexpr std::string_view tag<Welcome> = "welcome";
template <>
inline constexpr std::string_view tag<Refused> = "refused";
template <>
inline constexpr std::string_view tag<Poll> = "poll";
template <>
inline constexpr std::string_view tag<Batch> = "batch";

template <>
inline constexpr std::uint8_t message_number<Report> = 1;
template <>
inline constexpr std::uint8_t message_number<Ack> = 2;
template <>
inline constexpr std::uint8_t message_number<Poll> = 3;
template <>
inline constexpr std::uint8_t message_number<Batch> = 4;

template <OneOf<Report, Ack, Poll, Batch, Proof, InstanceReport, InstanceId, HostFacts, Refusal,
                SpecVersion, Start, Stop, SecretValue>
              T>
inline constexpr bool positional<T> = true;

void fields(auto& visit, Like<InstanceId> auto& id) {
    visit("task", id.task, valid_name);
    visit("ordinal", id.ordinal, plain);
}

void fields(auto& visit, Like<Proof> auto& proof) {
    visit("incarnation", proof.incarnation, plain);
    visit("tag", proof.tag, plain);
}

void fields(auto& visit, Like<InstanceReport> auto& instance) {
    fields(visit, instance.id);
    visit("generation", instance.generation, plain);
    visit("state", instance.state, plain);
    visit("restarts", instance.restarts, plain.or_default());
    visit("exit_code", instance.exit_code, plain.or_default());
    visit("exit_signal", instance.exit_signal, plain.or_default());
    visit("started", instance.started, plain.or_default());
    visit("detail", instance.detail, sentence(limits::detail_bytes).or_default());
    unless_default(visit, "proof", instance.proof, Proof{}, plain);
}

void fields(auto& visit, Like<HostFacts> auto& host) {
    visit("load_milli", host.load_milli, plain.or_default());
    visit("spawn_failing", host.spawn_failing, plain.or_default());
    visit("journal_failing", host.journal_failing, plain.or_default());
    visit("readiness", host.readiness, plain.or_default());
    visit("check_exit", host.check_exit, plain.or_default());
    visit("checks", host.checks, plain.or_default());
    unless_default(visit, "unable", host.unable, false, plain);
}

void fields(auto& visit, Like<Hello> auto& hello) {
    visit("name", hello.name, valid_name);
    visit("cluster", hello.cluster, plain.or_default());
    visit("boot", hello.boot, plain);
    visit("life", hello.life, plain);
    visit("incarnation", hello.incarnation, plain);
    visit("epoch", hello.epoch, plain.or_default());
    visit("leader", hello.leader, plain.or_default());
    visit("counter", hello.counter, plain.or_default());
    visit("version", hello.version, text(limits::name_bytes).or_default());
    fields(visit, hello.offer);
    visit("limits", hello.limits, list(limits::limit_facts).or_default());
    visit("capacity_from", hello.capacity_from, plain.or_default());
    unless_default(visit, "keeps_proofs", hello.keeps_proofs, false, plain);
    unless_default(visit, "seal_key", hello.seal_key, std::string{}, text(limits::pattern_bytes));
}

void fields(auto& visit, Like<Report> auto& report) {
    visit("kind", report.kind, plain);
    visit("epoch", report.epoch, plain);
    visit("round", report.round, plain);
    visit("incarnation", report.incarnation, plain);
    visit("from", report.from, plain.or_default());
    visit("to", report.to, plain);
    visit("obeyed", report.obeyed, plain);
    visit("host", report.host, plain.or_default());
    visit("instances", report.instances, list(limits::instances_per_node).or_default());
    visit("gone", report.gone, list(limits::instances_per_node).or_default());
    visit("stamp", report.stamp, plain.or_default());
    unless_default(visit, "vitals", report.vitals, HostVitals{}, plain);
}

void fields(auto& visit, Like<Refusal> auto& refusal) {
    fields(visit, refusal.id);
    visit("generation", refusal.generation, plain);
    visit("code", refusal.code, plain);
    visit("detail", refusal.detail, sentence(limits::detail_bytes).or_default());
}

void fields(auto& visit, Like<Ack> auto& ack) {
    visit("epoch", ack.epoch, plain);
    visit("incarnation", ack.incarnation, plain);
    visit("obeyed", ack.obeyed, plain);
    visit("refusals", ack.refusals, list(limits::batch_commands).or_default());
}

void fields(auto& visit, Like<Departure> auto& departure) {
    visit("incarnation", departure.incarnation, plain);
    visit("instances", departure.instances, plain.or_default());
}

void fields(auto& visit, Like<Welcome> auto& welcome) {
    visit("cluster", welcome.cluster, plain);
    visit("epoch", welcome.epoch, plain);
    visit("leader", welcome.leader, plain);
    visit("incarnation", welcome.incarnation, plain);
    visit("round_ms", welcome.round_ms, plain);
}

void fields(auto& visit, Like<Refused> auto& refused) {
    visit("code", refused.code, plain);
    visit("detail", refused.detail, sentence(limits::sentence_bytes).or_default());
    visit("known", refused.known, plain.or_default());
    visit("retry_after_ms", refused.retry_after_ms, plain.or_default());
}

void fields(auto& visit, Like<Poll> auto& poll) {
    visit("epoch", poll.epoch, plain);
    visit("round", poll.round, plain);
    visit("incarnation", poll.incarnation, plain);
    visit("seen", poll.seen, plain);
    visit("issued", poll.issued, plain);
    visit("check", poll.check, plain.or_default());
    visit("lease", poll.lease, plain.or_default());
    unless_default(visit, "renew_key", poll.renew_key, false, plain);
}

void fields(auto& visit, Like<NewKey> auto& message) {
    visit("incarnation", message.incarnation, plain);
    visit("key", message.key, text(limits::pattern_bytes));
}

void fields(auto& visit, Like<KeyRegistered> auto& message) {
    visit("key", message.key, text(limits::pattern_bytes));
}

template <>
struct UnknownKey<SpecVersion> {
    static constexpr bool is_kept = true;
    static std::string& key_of(SpecVersion& version) { return version.unknown_key; }
};

void fields(auto& visit, Like<SpecVersion> auto& version) {
    visit("task", version.task, valid_name);
    visit("generation", version.generation, plain);
    visit("spec", version.spec, plain);
}

void fields(auto& visit, Like<Start> auto& start) {
    fields(visit, start.id);
    visit("generation", start.generation, plain);
    visit("digest", start.digest, plain);
    visit("lease", start.lease, plain.or_default());
    visit("token", start.token, plain.or_default());
    unless_default(visit, "proof", start.proof, Proof{}, plain);
}

void fields(auto& visit, Like<Stop> auto& stop) {
    fields(visit, stop.id);
    visit("generation", stop.generation, plain);
}

void fields(auto& visit, Like<SecretValue> auto& secret) {
    visit("name", secret.name, valid_name);
    visit("version", secret.version, plain);
    visit("value", secret.value, text(limits::encrypted_secret_bytes));
}

void fields(auto& visit, Like<Batch> auto& batch) {
    visit("cluster", batch.cluster, plain);
    visit("epoch", batch.epoch, plain);
    visit("leader", batch.leader, plain);
    visit("incarnation", batch.incarnation, plain);
    visit("sequence", batch.sequence, plain);
    visit("counter", batch.counter, plain);
    visit("specs", batch.specs, list(limits::batch_commands));
    visit("stops", batch.stops, list(limits::batch_commands));
    visit("starts", batch.starts, list(limits::batch_commands));
    unless_default(visit, "secrets", batch.secrets, std::vector<SecretValue>{},
                   list(limits::batch_commands));
}

}  // namespace muster::codec
