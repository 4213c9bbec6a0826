"""Fuzzed connections through CURVE, from enrolled peers: what libzmq does not survive, and what it may not.

    curve_fuzz.py SERVER_KEY COUNT SEED ENDPOINT KEY_FILE KIND [ENDPOINT KEY_FILE KIND]...

Each connection proves its key, unless its handshake is what is spoiled. Then it sends a random sequence of
messages, commands, unfinished messages, wrong boxes and raw bytes, and hangs up at a random moment. Prints a
line of JSON: how many connections there were, and how many proved their key.
"""
import json
import os
import random
import struct
import sys

import curve_wire as wire

VERSION = b"MUSTER\1"
HEADS = [b"", b"\x80", b"\x90", b"\x91" * 50, b"\xdd\xff\xff\xff\xff", b"\xdf\0\0\xff\xff", b"\x81\xa4type\xa5hello", b"{", b"{}",
         b'{"verb":"ping"}', b'{"type":"report"}', b"ping", b"\1agents.", b"\0", b"\x95\2\1\1\1\1", b"[5,1,0,1,", b"\x95\5\1\0\2\xc4\1x"]
COMMANDS = [b"\4PING\0\0", b"\4PING\0\1" + bytes(16), b"\4PONG", b"\5ERROR\3bad", b"\x09SUBSCRIBEx", b"\6CANCELx", b"\5READY",
            b"", b"\xff", b"\4PING", b"\4PING\0\0" + bytes(100)]


def randomly(size):
    return os.urandom(random.randrange(size))


def body():
    way = random.randrange(5)
    if way == 0:
        return randomly(2000)
    if way == 1:
        return VERSION
    return random.choice(HEADS) + (randomly(60) if random.randrange(2) else b"")


def piece(peer):
    """Some bytes of a connection after its handshake."""
    way = random.randrange(12)
    if way < 3:
        return peer.message(VERSION, body())
    if way < 5:
        return peer.message(body())
    if way < 7:
        return peer.sealed(random.choice(COMMANDS), wire.COMMAND | random.choice((0, 0, 0, wire.MORE)))
    if way == 7:
        return b"".join(peer.sealed(body(), wire.MORE) for _ in range(random.randrange(1, 40)))
    if way == 8:
        return b"".join(peer.message(b"x") for _ in range(40)) + peer.ping()
    if way == 9:
        return peer.sealed(body(), random.randrange(256))
    if way == 10:
        made = bytearray(peer.message(body()))
        made[random.randrange(len(made))] ^= 1 << random.randrange(8)
        return bytes(made)
    return random.choice((randomly(300), b"\2" + struct.pack(">Q", random.getrandbits(63)), wire.frame(b"\7MESSAGE" + randomly(40)),
                          wire.frame(b"\4PING\0\0", 4)))


def spoiled_handshake(peer):
    metadata = random.choice((None, b"", randomly(3000), wire.property_of(b"Socket-Type", randomly(20)),
                              wire.property_of(b"Socket-Type", peer.kind) + wire.property_of(b"Identity", randomly(300)),
                              wire.property_of(b"X-" + b"m" * random.randrange(200), randomly(3000))))
    way = random.randrange(4)
    if way == 0:
        made = bytearray(wire.greeting() + peer.hello())
        made[random.randrange(len(made))] ^= 1 << random.randrange(8)
        peer.send(bytes(made[:random.randrange(1, len(made) + 1)]))
        return
    made = bytearray(peer.initiate(peer.welcome(), metadata))
    if way == 1:
        made[random.randrange(len(made))] ^= 1 << random.randrange(8)
    peer.send(bytes(made[:random.randrange(len(made))] if way == 2 else made))


def connection(server, endpoint, keys, kind, counts):
    source = f"127.{random.randrange(1, 60)}.{random.randrange(256)}.{random.randrange(1, 255)}"
    peer = wire.Peer(endpoint, server, keys, kind, source)
    try:
        if random.randrange(8) == 0:
            spoiled_handshake(peer)
        else:
            peer.handshake()
            counts["proved"] += 1
            data = b"".join(piece(peer) for _ in range(random.randrange(1, 12)))
            peer.send(data[:random.randrange(len(data) + 1)] if random.randrange(3) == 0 else data)
        if random.randrange(2):
            peer.link.setsockopt(wire.socket.SOL_SOCKET, wire.socket.SO_LINGER, struct.pack("ii", 1, 0))
    except wire.Closed:
        counts["refused"] += 1
    finally:
        peer.close()
    counts["connections"] += 1


def main():
    server, count, seed = bytes.fromhex(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    random.seed(seed)
    targets = [(sys.argv[at], wire.keys_of(sys.argv[at + 1]), sys.argv[at + 2].encode())
               for at in range(4, len(sys.argv), 3)]
    counts = {"connections": 0, "proved": 0, "refused": 0}
    for _ in range(count):
        connection(server, *random.choice(targets), counts)
    print(json.dumps(counts))


main()
