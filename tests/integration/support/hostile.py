"""A peer that is not one of muster's programs: connects as it is told, sends one message, and prints
the answer.

    hostile.py ENDPOINT MECHANISM [--server KEY] [--keys FILE] [--count N] FRAME...

MECHANISM is null, plain or curve. The keys of FILE are those of a key file of muster; without it
they are random. Prints a line of JSON: {"answer": TEXT}, or {"silence": true} if none came, or
{"closed": REASON} if the connection was refused.
"""

import argparse
import faulthandler
import json
import re

import zmq
from zmq.utils.monitor import recv_monitor_message


def keys_of(path):
    text = open(path).read()
    return [bytes.fromhex(re.search(name + ' = "(.*)"', text)[1]) for name in ("public", "secret")]


def main():
    faulthandler.dump_traceback_later(30, exit=True)  # One run in some thousands did not end.
    parser = argparse.ArgumentParser()
    parser.add_argument("endpoint")
    parser.add_argument("mechanism", choices=["null", "plain", "curve"])
    parser.add_argument("--server")
    parser.add_argument("--keys")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("frames", nargs="+")
    given = parser.parse_args()

    socket = zmq.Context().socket(zmq.DEALER)
    socket.linger = 0
    if given.mechanism == "plain":
        socket.plain_username = b"admin"
        socket.plain_password = b"admin"
    if given.mechanism == "curve":
        if given.keys:
            public, secret = keys_of(given.keys)
        else:
            public, secret = zmq.curve_keypair()
        socket.setsockopt(zmq.CURVE_SERVERKEY, bytes.fromhex(given.server))
        socket.setsockopt(zmq.CURVE_PUBLICKEY, public)
        socket.setsockopt(zmq.CURVE_SECRETKEY, secret)
    failures = (
        zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
        | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
        | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    )
    monitor = socket.get_monitor_socket(failures)
    socket.connect(given.endpoint)
    for _ in range(given.count):
        socket.send_multipart([frame.encode() for frame in given.frames])
    poller = zmq.Poller()
    poller.register(socket, zmq.POLLIN)
    poller.register(monitor, zmq.POLLIN)
    ready = dict(poller.poll(5000))
    if socket in ready:
        answer = socket.recv_multipart()[-1].decode("utf-8", "replace")
        print(json.dumps({"answer": answer}))
    elif monitor in ready:
        event = recv_monitor_message(monitor)
        print(json.dumps({"closed": str(event["event"])}))
    else:
        print(json.dumps({"silence": True}))
    socket.disable_monitor()  # While both of its ends are there.


main()
