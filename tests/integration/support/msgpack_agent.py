#!/usr/bin/python3
"""The agent of examples/agent.py in msgpack: the same mind, the other form of every message.

The tables are those of docs/reference/protocol.md. Arguments: those of examples/agent.py.
"""
import pathlib
import sys

import msgpack

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples"))
import agent  # noqa: E402

KINDS = ["same", "delta", "snapshot"]
STATES = ["pending", "starting", "running", "backoff", "exited", "failed", "stopping"]
IDS = {"cluster", "boot", "life", "leader"}
ID = ["task", "ordinal"]
COMMAND = ID + ["generation"]
INSTANCE = COMMAND + ["state", "restarts", "exit_code", "exit_signal", "started", "detail"]
POLL = ["epoch", "round", "incarnation", "seen", "issued", "check", "lease"]
BATCH = ["cluster", "epoch", "leader", "incarnation", "sequence", "counter", "specs", "stops", "starts"]
LISTS = {"specs": ["task", "generation", "spec"], "stops": COMMAND, "starts": COMMAND + ["digest", "lease", "token", "proof"]}


def row(fields, one):
    return [one[field] for field in fields] + ([one["proof"]] if "proof" in one else [])


def encode_report(message):
    instances = [row(INSTANCE, {**one, "state": STATES.index(one["state"])}) for one in message["instances"]]
    gone = [row(ID, one) for one in message.get("gone", [])]
    vitals = {"at": 1_700_000_000_000, "memory_free": 1 << 30}  # A map, also here; what is left out has its default.
    return [1, KINDS.index(message["kind"]), message["epoch"], message["round"], message["incarnation"],
            message.get("from", 0), message["to"], message["obeyed"], [0, False], instances, gone, 0, vitals]


def encode_ack(message):
    refusals = [row(COMMAND + ["code", "detail"], one) for one in message["refusals"]]
    return [2, message["epoch"], message["incarnation"], message["obeyed"]] + ([refusals] if refusals else [])


class Msgpack:
    @staticmethod
    def encode(message):
        of_kind = {"report": encode_report, "ack": encode_ack}.get(message["type"])
        content = of_kind(message) if of_kind else {
            key: bytes.fromhex(value) if key in IDS else value for key, value in message.items()}
        return [b"MUSTER\x01", msgpack.packb(content, use_bin_type=True)]

    @staticmethod
    def decode(frames):
        content = msgpack.unpackb(frames[-1], raw=False, strict_map_key=False)
        if isinstance(content, list):
            number, *values = content
            message = {"type": {3: "poll", 4: "batch"}[number], **dict(zip({3: POLL, 4: BATCH}[number], values))}
            for key, fields in LISTS.items():
                if key in message:
                    message[key] = [dict(zip(fields, one)) for one in message[key]]
        else:
            message = content
        return {key: value.hex() if key in IDS else value for key, value in message.items()}


if __name__ == "__main__":
    agent.main(Msgpack)
