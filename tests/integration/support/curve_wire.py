"""CurveZMQ byte by byte (rfc.zeromq.org/spec/26), for peers that send what no library would.

Only python3 and libsodium are needed.
"""
import ctypes
import os
import re
import socket
import struct

SODIUM = ctypes.CDLL("libsodium.so.23")
MORE, COMMAND = 1, 2  # Inside of the encryption.
BOX_BYTES = 16
GREETING_BYTES = 64


def keys_of(path):
    """The public and the secret key in a key file of muster."""
    with open(path) as file:
        text = file.read()
    return tuple(bytes.fromhex(re.search(name + ' = "(.*)"', text)[1]) for name in ("public", "secret"))


def new_keys():
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    SODIUM.crypto_box_keypair(public, secret)
    return public.raw, secret.raw


def box(nonce, text, to, secret):
    sealed = ctypes.create_string_buffer(len(text) + BOX_BYTES)
    assert SODIUM.crypto_box_easy(sealed, text, ctypes.c_ulonglong(len(text)), nonce, to, secret) == 0
    return sealed.raw


def opened(nonce, sealed, other, secret):
    text = ctypes.create_string_buffer(len(sealed) - BOX_BYTES)
    length = ctypes.c_ulonglong(len(sealed))
    return text.raw if SODIUM.crypto_box_open_easy(text, sealed, length, nonce, other, secret) == 0 else None


def greeting(mechanism=b"CURVE"):
    return b"\xff" + bytes(8) + b"\x7f\x03\x01" + mechanism.ljust(20, b"\0") + bytes(32)


def frame(body, flags=0):
    if len(body) < 256:
        return bytes([flags, len(body)]) + body
    return bytes([flags | 2]) + struct.pack(">Q", len(body)) + body


def command(name, body):
    return bytes([len(name)]) + name + body


def property_of(name, value):
    return bytes([len(name)]) + name + struct.pack(">I", len(value)) + value


def connect(endpoint, source=None, timeout=20):
    """A TCP connection to `tcp://HOST:PORT`, from another address of this host if one is given."""
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.settimeout(timeout)
    if source:
        made.bind((source, 0))
    made.connect((host, int(port)))
    return made


class Closed(Exception):
    """The other side ended the connection, or said nothing for too long."""


class Peer:
    """One connection. After `handshake` it is an admitted peer."""

    def __init__(self, endpoint, server, keys, kind=b"DEALER", source=None):
        self.link = connect(endpoint, source)
        self.server, self.keys, self.kind = server, keys, kind
        self.passing = new_keys()
        self.count = 0
        self.shared = None

    def close(self):
        self.link.close()

    # ---- bytes ----

    def send(self, data):
        """False: the other side ended the connection."""
        try:
            self.link.sendall(data)
            return True
        except OSError:
            return False

    def read(self, size):
        got = b""
        while len(got) < size:
            try:
                piece = self.link.recv(size - len(got))
            except OSError:
                piece = b""
            if not piece:
                raise Closed
            got += piece
        return got

    def read_frame(self):
        flags, = self.read(1)
        size = struct.unpack(">Q", self.read(8))[0] if flags & 2 else self.read(1)[0]
        return self.read(size)

    def is_cut(self, seconds=20):
        """Whether the other side ends the connection within this time; what it sends is dropped."""
        self.link.settimeout(seconds)
        try:
            while self.link.recv(1 << 20):
                pass
            return True
        except TimeoutError:
            return False
        except OSError:
            return True

    # ---- the handshake ----

    def nonce(self):
        self.count += 1
        return struct.pack(">Q", self.count)

    def hello(self):
        nonce = self.nonce()
        return frame(command(b"HELLO", b"\1\0" + bytes(72) + self.passing[0] + nonce
                             + box(b"CurveZMQHELLO---" + nonce, bytes(64), self.server, self.passing[1])), 4)

    def initiate(self, welcome, metadata=None):
        text = opened(b"WELCOME-" + welcome[8:24], welcome[24:], self.server, self.passing[1])
        if text is None:
            raise Closed
        theirs, cookie = text[:32], text[32:]
        self.shared = ctypes.create_string_buffer(32)
        SODIUM.crypto_box_beforenm(self.shared, theirs, self.passing[1])
        random = os.urandom(16)
        vouch = random + box(b"VOUCH---" + random, self.passing[0] + self.server, theirs, self.keys[1])
        about = property_of(b"Socket-Type", self.kind) if metadata is None else metadata
        nonce = self.nonce()
        return frame(command(b"INITIATE", cookie + nonce
                             + box(b"CurveZMQINITIATE" + nonce, self.keys[0] + vouch + about, theirs,
                                   self.passing[1])), 4)

    def greet(self):
        self.send(greeting())
        self.read(GREETING_BYTES)
        return self

    def welcome(self):
        """Up to the other side's WELCOME."""
        self.greet().send(self.hello())
        return self.read_frame()

    def handshake(self, metadata=None):
        """Raises Closed if it was refused."""
        self.send(self.initiate(self.welcome(), metadata))
        if not self.read_frame().startswith(b"\5READY"):
            raise Closed
        return self

    # ---- messages ----

    def sealed(self, body, flags=0):
        text = bytes([flags]) + body
        nonce = self.nonce()
        out = ctypes.create_string_buffer(len(text) + BOX_BYTES)
        SODIUM.crypto_box_easy_afternm(out, text, ctypes.c_ulonglong(len(text)), b"CurveZMQMESSAGEC" + nonce,
                                       self.shared)
        return frame(command(b"MESSAGE", nonce + out.raw))

    def message(self, *frames):
        return b"".join(self.sealed(one, MORE if at + 1 < len(frames) else 0) for at, one in enumerate(frames))

    def ping(self):
        return self.sealed(b"\4PING\0\0", COMMAND)

    def receive(self):
        """The frames of the next message; commands are skipped."""
        frames = []
        while True:
            body = self.read_frame()
            out = ctypes.create_string_buffer(len(body) - 16 - BOX_BYTES)
            sealed = body[16:]
            if SODIUM.crypto_box_open_easy_afternm(out, sealed, ctypes.c_ulonglong(len(sealed)),
                                                   b"CurveZMQMESSAGES" + body[8:16], self.shared) != 0:
                raise Closed
            flags, text = out.raw[0], out.raw[1:]
            if flags & COMMAND:
                continue
            frames.append(text)
            if not flags & MORE:
                return frames

    def ask(self, *frames):
        """The last frame of the answer."""
        self.send(self.message(*frames))
        return self.receive()[-1]
