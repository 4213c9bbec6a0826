"""Executes the examples of docs/reference/protocol.md as its first comment says, with nothing of muster, and
what the page shows in Python as it stands, but for the default endpoint of operators.

Usage: protocol_examples.py PAGE AGENTS OPERATORS OPERATORS_SOCKET EVENTS AGENT_SOCKET

Prints a line for every example; the first that is not so ends it with exit code 1.
"""
import contextlib
import io
import json
import re
import sys
import time

import zmq

PATIENCE_MS = 30000
ANY = "..."
OPERATORS_BY_DEFAULT = "tcp://127.0.0.1:7701"


def endpoint(place):
    return place if "://" in place else "ipc://" + place


def differences(shown, got, where=""):
    """What of `got` is not as shown, a sentence each."""
    if shown == ANY:
        return []
    if isinstance(shown, dict) and isinstance(got, dict):
        if shown.keys() != got.keys():
            return [f"{where}: keys {sorted(got)}, not {sorted(shown)}"]
        return [d for key in shown for d in differences(shown[key], got[key], f"{where}.{key}")]
    if isinstance(shown, list) and isinstance(got, list):
        open_end = shown[-1:] == [ANY]
        expected = shown[:-1] if open_end else shown
        if len(got) < len(expected) or (len(got) > len(expected) and not open_end):
            return [f"{where}: {len(got)} elements, not {len(expected)}"]
        return [d for i, s in enumerate(expected) for d in differences(s, got[i], f"{where}[{i}]")]
    same = shown == got and isinstance(shown, bool) == isinstance(got, bool)
    return [] if same else [f"{where}: {got!r}, not {shown!r}"]


class Peer:
    """A socket that asks, with a bound on its patience."""

    def __init__(self, context, kind, place):
        self.socket = context.socket(kind)
        self.socket.linger = 0
        self.socket.rcvtimeo = PATIENCE_MS
        self.socket.connect(endpoint(place))

    def ask(self, text, agent=None):
        self.socket.send(text.encode())
        if agent:
            agent.answer_until(self.socket)
        return json.loads(self.socket.recv())


class Agent(Peer):
    """The foreign agent of the page: what it sends is shown, what it receives is compared."""

    def __init__(self, context, place):
        super().__init__(context, zmq.DEALER, place)
        self.received = {}
        self.report = None
        self.waiting = []  # Messages that arrived before the page shows them.

    def says(self, text):
        message = json.loads(re.sub(r'"<(\w+)>"', lambda m: json.dumps(self.received[m[1]]), text))
        if message["type"] == "report":
            self.report = message
        self.socket.send(json.dumps(message).encode())

    def receive(self):
        """The next message. A poll that is not shown is answered with the last report."""
        message = json.loads(self.socket.recv())
        self.received.update(message)
        for command in (message.get("stops", []) + message.get("starts", []))[:1]:
            self.received.update(command)
        if message["type"] == "poll" and self.report:
            self.socket.send(json.dumps({**self.report, "round": message["round"]}).encode())
        return message

    def receives(self, kind):
        while True:
            message = self.waiting.pop(0) if self.waiting else self.receive()
            if message["type"] == kind:
                return message

    def answer_until(self, other):
        """Answers polls until another socket has a message: some requests take many rounds."""
        poller = zmq.Poller()
        for socket in (self.socket, other):
            poller.register(socket, zmq.POLLIN)
        while other not in (ready := dict(poller.poll(PATIENCE_MS))):
            if not ready:
                raise SystemExit("no reply")
            message = self.receive()
            if message["type"] != "poll":
                self.waiting.append(message)


class Events(Peer):
    """Everything that was published since the beginning."""

    def __init__(self, context, place):
        super().__init__(context, zmq.SUB, place)
        self.socket.subscribe("")
        self.seen = []

    def find(self, shown):
        end = time.monotonic() + PATIENCE_MS / 1000
        while not any(not differences(shown, event) for event in self.seen):
            if time.monotonic() > end:
                raise SystemExit(f"no event like {shown}")
            topic, body = self.socket.recv_multipart()
            self.seen.append(json.loads(body))
            if self.seen[-1]["topic"] != topic.decode():
                raise SystemExit(f"topic {topic} of event {body}")


def examples(page):
    """(line, kind, text) of every block that is an example; of one in Python the language."""
    block = re.compile(r"^```(?:(?:json|text) )?(\w[\w ]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
    for match in block.finditer(page):
        yield page.count("\n", 0, match.start()) + 1, match[1], match[2].rstrip("\n")


def printed_by(snippet, operators):
    """What a snippet prints that asks the coordinator of this test instead of the usual one."""
    if OPERATORS_BY_DEFAULT not in snippet:
        raise SystemExit(f"the example in Python does not ask {OPERATORS_BY_DEFAULT}")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(snippet.replace(OPERATORS_BY_DEFAULT, endpoint(operators)), {})
    return printed.getvalue()


def main():
    path, agents, operators, operators_socket, events_place, agent_socket = sys.argv[1:7]
    context = zmq.Context()
    events = Events(context, events_place)
    operator = Peer(context, zmq.REQ, operators)
    by_file = Peer(context, zmq.DEALER, operators_socket)
    local = Peer(context, zmq.REQ, agent_socket)
    agent = Agent(context, agents)
    if not by_file.ask("ping")["ok"]:
        raise SystemExit("no answer over ipc")

    got = None
    with open(path, encoding="utf-8") as page:
        text_of_page = page.read()
    for line, kind, text in examples(text_of_page):
        if kind == "request":
            got = operator.ask(text, agent)
        elif kind == "local":
            got = local.ask(text)
        elif kind == "agent sends":
            agent.says(text)
        elif kind == "agent receives":
            got = agent.receives(json.loads(text)["type"])
        elif kind == "event":
            events.find(json.loads(text))
        elif kind == "python":
            got = json.loads(printed_by(text, operators))
            if not got["ok"]:
                raise SystemExit(f"{path}:{line}: {kind}\n{got}")
        elif kind != "reply":
            raise SystemExit(f"{path}:{line}: an example of no known kind: {kind}")
        if kind in ("reply", "agent receives"):
            wrong = differences(json.loads(text), got)
            if wrong:
                raise SystemExit(f"{path}:{line}: {kind}\n  " + "\n  ".join(wrong) + f"\n{got}")
        print(f"{line}: {kind}")
    context.destroy(linger=0)


main()
