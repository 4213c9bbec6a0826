"""An enrolled peer that sends as fast as it can, over several connections, until its time is over.

    flood.py ENDPOINT SERVER_KEY KEY_FILE SECONDS LINKS MESSAGE...

A MESSAGE that begins with `hex:` is bytes; `objects:N` is JSON of N bytes, nearly all of them empty objects
in a field that nobody knows. Prints a line of JSON: how many were sent, and how many
answers said `busy`.
"""
import json
import sys
import time

import zmq

import curve_wire as wire


def bytes_of(text):
    if text.startswith("hex:"):
        return bytes.fromhex(text[4:])
    if text.startswith("objects:"):
        objects = ",".join(["{}"] * (int(text[8:]) // 3 - 10))
        return b'{"type":"ack","x":[' + objects.encode() + b"]}"
    return text.encode()


def main():
    endpoint, server, keys, seconds, links = sys.argv[1:6]
    messages = [bytes_of(text) for text in sys.argv[6:]]
    public, secret = wire.keys_of(keys)
    sockets = []
    for _ in range(int(links)):
        one = zmq.Context.instance().socket(zmq.DEALER)
        one.linger = 0
        one.setsockopt(zmq.CURVE_SERVERKEY, bytes.fromhex(server))
        one.setsockopt(zmq.CURVE_PUBLICKEY, public)
        one.setsockopt(zmq.CURVE_SECRETKEY, secret)
        one.connect(endpoint)
        sockets.append(one)
    poller = zmq.Poller()
    for one in sockets:
        poller.register(one, zmq.POLLIN | zmq.POLLOUT)
    sent = answers = busy = 0
    ends = time.monotonic() + float(seconds)
    while time.monotonic() < ends:
        idle = True
        for one in sockets:
            for message in messages:
                try:
                    one.send(message, zmq.DONTWAIT)
                    sent += 1
                    idle = False
                except zmq.Again:
                    break
            for _ in messages:
                try:
                    busy += b'"busy"' in one.recv_multipart(zmq.DONTWAIT)[-1]
                    answers += 1
                except zmq.Again:
                    break
        if idle:
            poller.poll(100)
    print(json.dumps({"sent": sent, "answers": answers, "busy": busy}))


main()
