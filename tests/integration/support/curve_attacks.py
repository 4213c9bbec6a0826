"""An enrolled peer that attacks the endpoint for which it has a key, one way after the other.

    curve_attacks.py ENDPOINT SERVER_KEY KEY_FILE HTTP [--kind DEALER] [--frames N] [--only NAME]

After each attack the same key connects again and is answered. Prints a line of JSON for each attack:
its name, whether it was `cut` off, the `answers` that it got, and how much more the metrics at HTTP have
`counted` as refused.
"""
import argparse
import json
import re
import struct
import urllib.request

import curve_wire as wire

VERSION = b"MUSTER\1"
HANG_UPS = 60


class Attacker:
    def __init__(self, given):
        self.given = given
        self.server = bytes.fromhex(given.server)
        self.keys = wire.keys_of(given.keys)

    def peer(self):
        return wire.Peer(self.given.endpoint, self.server, self.keys, self.given.kind.encode())

    def admitted(self):
        return self.peer().handshake()

    # Each attack returns whether it was cut off, and its answers.

    def giant_frame(self):
        """Its head says 2^63 - 1 bytes."""
        peer = self.admitted()
        peer.send(b"\2" + struct.pack(">Q", 2**63 - 1) + b"\7MESSAGE" + bytes(4096))
        return peer.is_cut(), []

    def frame_above_the_limit(self):
        """Of 8 MiB, whole and well encrypted."""
        peer = self.admitted()
        peer.send(peer.sealed(bytes(8 << 20)))
        return peer.is_cut(), []

    def deep_nesting(self):
        """The deeper ones are longer than an agent's first message may be, and then end the connection."""
        answers = []
        for deep in (3_000, 30_000):
            for frames in ((VERSION, b"\x91" * deep), (VERSION, b"\x81\xa1a" * (deep // 3)),
                           (b'{"verb":"apply","tasks":' + b"[" * deep,), (b'{"type":' * (deep // 8),)):
                peer = self.admitted()
                try:
                    answers.append(self.text(peer.ask(*frames)))
                except wire.Closed:
                    if deep == 3_000:
                        raise
                peer.close()
        return False, answers

    def array_bomb(self):
        """Heads of arrays, maps and texts that say 2^32 - 1 elements."""
        peer = self.admitted()
        return False, [self.text(peer.ask(VERSION, bomb)) for bomb in (
            b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff",
            b"\x95\x01\xdd\xff\xff\xff\xff", b"\x81\xa4type\xdb\xff\xff\xff\xff")]

    def many_frames(self):
        """A message of 10^5 frames."""
        return self.frames_of(b"f")

    def endless_message(self):
        """The same with larger frames."""
        return self.frames_of(bytes(500))

    def frames_of(self, body):
        peer = self.admitted()
        for _ in range(self.given.frames // 100):
            if not peer.send(b"".join(peer.sealed(body, wire.MORE) for _ in range(100))):
                break
        return peer.is_cut(), []

    def commands_then_hang_up(self):
        """A command behind a full queue of messages, whose sender is gone when it is read."""
        for _ in range(HANG_UPS):
            peer = self.admitted()
            peer.send(b"".join(peer.message(b"x") for _ in range(40))
                      + b"".join(peer.ping() for _ in range(40)))
            peer.link.setsockopt(wire.socket.SOL_SOCKET, wire.socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()
        return False, []

    def half_handshakes(self):
        """They end after each of their steps, and in the middle of each."""
        held = []
        for _ in range(20):
            for cut in (0, 10, 63):
                peer = self.peer()
                peer.send(wire.greeting()[:cut])
                held.append(peer)
            peer = self.peer().greet()
            peer.send(peer.hello()[:100])
            held.append(peer)
            peer = self.peer()
            peer.welcome()
            held.append(peer)
            peer = self.peer()
            peer.send(peer.initiate(peer.welcome())[:-1])
            held.append(peer)
        for peer in held:
            peer.close()
        return False, []

    def long_metadata(self):
        peer = self.peer()
        about = wire.property_of(b"Socket-Type", self.given.kind.encode())
        peer.send(peer.initiate(peer.welcome(), about + wire.property_of(b"X-Long", bytes(1 << 20))))
        return peer.is_cut(), []

    def wrong_metadata(self):
        """Properties whose sizes are wrong, and none at all."""
        for about in (b"\xff", b"\x0bSocket-Type\xff\xff\xff\xffDEALER", b"", b"\0" * 100,
                      wire.property_of(b"Socket-Type", b"PULL"), wire.property_of(b"Socket-Type", b"\xff" * 100)):
            peer = self.peer()
            peer.send(peer.initiate(peer.welcome(), about))
            try:
                if peer.read_frame().startswith(b"\5READY"):  # The library asks for nothing here.
                    peer.send(peer.message(b"{"))
            except wire.Closed:
                pass
            peer.close()
        return False, []

    def wrong_boxes(self):
        """Frames that do not open, and nonces that go back."""
        cut = True
        for spoil in ("box", "nonce", "short"):
            peer = self.admitted()
            made = bytearray(peer.message(b"ping"))
            if spoil == "box":
                made[-1] ^= 1
            elif spoil == "nonce":
                made = bytearray(bytes(made) * 2)
            else:
                made = bytearray(wire.frame(b"\7MESSAGE"))
            peer.send(bytes(made))
            cut = peer.is_cut() and cut
        return cut, []

    def answer_to_good(self):
        """What a message that is no attack gets. Above 1,000 messages a second those of a key are dropped, as
        these may be after an attack by many: so it is repeated, as agents do."""
        for _ in range(20):
            peer = self.admitted()
            peer.link.settimeout(2)
            try:
                return self.text(peer.ask(b'{"verb": "ping", "type": "ack"}'))
            except wire.Closed:
                peer.close()
        return ""

    @staticmethod
    def text(answer):
        return answer.decode("utf-8", "replace")


def refusals(http):
    page = urllib.request.urlopen("http://" + http.removeprefix("tcp://") + "/metrics").read().decode()
    return sum(int(one) for one in re.findall(r"^muster_message_errors_total{.*} (\d+)$", page, re.MULTILINE))


ATTACKS = ["giant_frame", "frame_above_the_limit", "deep_nesting", "array_bomb", "many_frames", "endless_message",
           "commands_then_hang_up", "half_handshakes", "long_metadata", "wrong_metadata", "wrong_boxes"]
ASK = ["deep_nesting", "array_bomb"]  # An endpoint of events answers nothing.


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("endpoint")
    parser.add_argument("server")
    parser.add_argument("keys")
    parser.add_argument("http", help="tcp://HOST:PORT")
    parser.add_argument("--kind", default="DEALER")
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--only", choices=ATTACKS)
    attacker = Attacker(parser.parse_args())
    before = refusals(attacker.given.http)
    for name in [attacker.given.only] if attacker.given.only else ATTACKS:
        if attacker.given.kind != "DEALER" and name in ASK:
            continue
        cut, answers = getattr(attacker, name)()
        after = ""
        if attacker.given.kind == "DEALER":
            after = attacker.answer_to_good()
        now = refusals(attacker.given.http)
        print(json.dumps({"attack": name, "cut": cut, "answers": answers, "after": after, "counted": now - before}),
              flush=True)
        before = now


main()
