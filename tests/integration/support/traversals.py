"""Sends every text of a corpus as every name of every message, and says what was accepted.

    traversals.py PROTOCOL_PAGE CORPUS SERVER OPERATORS OPERATOR_KEYS AGENTS AGENT_KEYS AGENT_SOCKET

The verbs and their fields are those of the table in docs/reference/protocol.md. Prints a line of JSON
for each field: how many texts were `sent`, and which were `accepted`.
"""
import json
import re
import sys

import zmq

import curve_wire as wire

PATIENCE_MS = 10_000
NAMES = {"name", "pattern", "node", "instance", "nodes", "tasks", "id", "fail", "without_tasks", "signal", "level",
         "fingerprint", "pools", "task"}
# Of these a text without a match is an empty answer; the texts that are patterns are no paths there.
FREE = {"reason", "author", "secret", "hash", "key"}
TASK = {"name": "t", "instances": 0, "argv": ["/bin/true"]}


class Client:
    def __init__(self, endpoint, server=None, keys=None):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.rcvtimeo = PATIENCE_MS
        if server:
            self.socket.setsockopt(zmq.CURVE_SERVERKEY, server)
            self.socket.setsockopt(zmq.CURVE_PUBLICKEY, keys[0])
            self.socket.setsockopt(zmq.CURVE_SECRETKEY, keys[1])
        self.socket.connect(endpoint)

    def ask(self, message):
        self.socket.send(json.dumps(message).encode() if isinstance(message, dict) else message)
        return json.loads(self.socket.recv())


def verbs_of(page):
    """Each verb with its fields: name, type."""
    text = open(page).read()
    table = text[text.index("<!-- begin verbs -->"):text.index("<!-- end verbs -->")]
    for line in table.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 6 and cells[0].startswith("`"):
            fields = re.findall(r"`(\w+)` ([^;`]+)", cells[3])
            yield re.match("`(.*?)`", cells[0])[1], fields


def value_for(kind):
    """A valid value of this type."""
    if kind.startswith(("u32", "u64", "i64")):
        return 1
    if kind.startswith("bool"):
        return False
    if kind.startswith("list"):
        return []
    if kind.startswith("("):
        return kind[1:].split(",")[0].rstrip(")")
    return dict(TASK) if kind.startswith("a task") else "x"


def requests(verb, fields, name, kind, text):
    """The request with this text in this field, in each form that the field has."""
    base = {"verb": verb, **{other: value_for(type) for other, type in fields if other != name}}
    if kind.startswith("a task") or (kind.startswith("list of tasks")):
        for task in ({**TASK, "name": text}, {**TASK, "pool": text}, {**TASK, "group": text},
                     {**TASK, "secrets": [text]}):
            yield {**base, name: task if kind.startswith("a task") else [task]}
    elif kind.startswith("list of nodes"):
        yield {**base, name: [{"name": text, "pool": "default"}]}
        yield {**base, name: [{"name": "n", "pool": text}]}
    elif kind.startswith("list"):
        yield {**base, name: [text]}
    else:
        yield {**base, name: text}


def is_harmless(answer):
    """A read that found nothing is no path."""
    rows = [value for value in answer.values() if isinstance(value, list)]
    return bool(rows) and not any(rows)


def attack_operators(page, corpus, client):
    for verb, fields in verbs_of(page):
        for name, kind in fields:
            if name in FREE or not (name in NAMES or "name" in kind):
                continue
            sent, accepted = 0, []
            for text in corpus:
                for request in requests(verb, fields, name, kind, text):
                    answer = client.ask(request)
                    sent += 1
                    if answer["ok"] and not is_harmless(answer):
                        accepted.append([text, request, answer])
                    elif not answer["ok"] and not answer["error"]["message"]:
                        accepted.append([text, "no sentence"])
            yield f"{verb}: {name}", sent, accepted


def agent_messages(text):
    ids = {"cluster": "0" * 32, "boot": "1" * 32, "life": "2" * 32, "leader": "0" * 32}
    instance = {"task": text, "ordinal": 0, "generation": 1, "state": "running", "restarts": 0, "exit_code": -1,
                "exit_signal": 0, "started": 0, "detail": ""}
    hello = {"type": "hello", "name": text, "incarnation": 1, "epoch": 0, "counter": 0, "version": "x", **ids}
    report = {"type": "report", "kind": "snapshot", "epoch": 1, "round": 1, "incarnation": 1, "to": 1, "obeyed": 0}
    yield "hello: name", hello
    yield "hello: pool", {**hello, "name": "rogue", "pool": text}
    yield "hello: label", {**hello, "name": "rogue", "labels": {text: "x"}}
    yield "report: task", {**report, "instances": [instance]}
    yield "report: gone", {**report, "kind": "delta", "from": 1, "instances": [],
                           "gone": [{"task": text, "ordinal": 0}]}
    yield "ack: task", {"type": "ack", "epoch": 1, "incarnation": 1, "obeyed": 0,
                        "refusals": [{"task": text, "ordinal": 0, "generation": 1, "code": "refused", "detail": ""}]}


def attack_agents(corpus, client):
    outcome = {}
    for text in corpus:
        for name, message in agent_messages(text):
            sent, accepted = outcome.setdefault(name, [0, []])
            answer = client.ask(message)
            outcome[name][0] += 1
            if answer["type"] != "refused" or not answer["detail"]:
                accepted.append([text, answer])
    for name, (sent, accepted) in outcome.items():
        yield name, sent, accepted


def attack_agent_socket(corpus, client):
    for name, request in (("verb", lambda text: {"verb": text}),
                          ("level", lambda text: {"verb": "log level", "level": text}),
                          ("line", lambda text: ("x" + text).encode("utf-8", "replace"))):
        accepted = []
        for text in corpus:
            answer = client.ask(request(text))
            if answer["ok"] or not answer["error"]["message"]:
                accepted.append([text, answer])
        yield f"local {name}", len(corpus), accepted


def main():
    page, corpus, server, operators, operator_keys, agents, agent_keys, agent_socket = sys.argv[1:]
    corpus = json.load(open(corpus))
    server = bytes.fromhex(server)
    for outcomes in (
            attack_operators(page, corpus, Client(operators, server, wire.keys_of(operator_keys))),
            attack_agents(corpus, Client(agents, server, wire.keys_of(agent_keys))),
            attack_agent_socket(corpus, Client(agent_socket))):
        for field, sent, accepted in outcomes:
            print(json.dumps({"field": field, "sent": sent, "accepted": accepted[:5]}), flush=True)


main()
