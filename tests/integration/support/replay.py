"""Says again what another peer once said.

    replay.py as-client ENDPOINT FILE      the bytes of a client to a server, all at once and step by step
    replay.py as-server LISTEN FILE        the bytes of a server to clients that connect, until 2 s after the first one

Prints a line of JSON: how many bytes were sent, and the names of the commands of the handshake that came
back. READY or MESSAGE among them means that it was taken for the other.
"""
import json
import sys
import time

import curve_wire as wire


def frames_of(data):
    """The greeting, and each frame."""
    pieces, at = [data[:wire.GREETING_BYTES]], wire.GREETING_BYTES
    while at < len(data):
        long = data[at] & 2
        size = int.from_bytes(data[at + 1:at + 9], "big") + 9 if long else data[at + 1] + 2
        pieces.append(data[at:at + size])
        at += size
    return pieces


def commands_in(data):
    names = []
    for piece in frames_of(data)[1:]:
        body = piece[9:] if piece[0] & 2 else piece[2:]
        if body:
            names.append(body[1:1 + body[0]].decode("ascii", "replace"))
    return names


def read_all(link, seconds):
    got, ends = b"", time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        link.settimeout(left)
        try:
            piece = link.recv(1 << 16)
        except OSError:
            break
        if not piece:
            break
        got += piece
    return got


def as_client(endpoint, data):
    for stepwise in (False, True):
        link, got = wire.connect(endpoint), b""
        try:
            if stepwise:
                for piece in frames_of(data)[:40]:
                    link.sendall(piece)
                    got += read_all(link, 0.05)
            else:
                link.sendall(data)
        except OSError:
            pass  # Cut off in the middle.
        got += read_all(link, 1)
        link.close()
        print(json.dumps({"sent": len(data), "stepwise": stepwise, "received": commands_in(got)}), flush=True)


def as_server(listen, data):
    host, port = listen.removeprefix("tcp://").rsplit(":", 1)
    server = wire.socket.create_server((host, int(port)))
    links, got = [], b""
    ends = time.monotonic() + 30  # An agent whose coordinator was away waits before each try.
    while (left := ends - time.monotonic()) > 0:
        server.settimeout(left)
        try:
            link, _ = server.accept()
            if not links:
                ends = time.monotonic() + 2
            links.append(link)
            link.sendall(data)
            got += read_all(link, 0.5)
            link.close()
        except OSError:
            pass
    print(json.dumps({"sent": len(data), "clients": len(links), "received": commands_in(got) if got else []}))


def main():
    way, endpoint, file = sys.argv[1:]
    data = open(file, "rb").read()
    {"as-client": as_client, "as-server": as_server}[way](endpoint, data)


main()
