#!/usr/bin/python3
"""Sends one request to a coordinator over the network, as an operator with a key.

Usage: ask.py CONTEXT_FILE REQUEST...
   as: ask.py ~/.config/muster/contexts/default status
       ask.py ~/.config/muster/contexts/default '{"verb": "task list"}'

The file of a context has the coordinator's endpoint and key, and the operator's own key. Prints the reply
as JSON, and exits with 1 if it is an error or if none came.
"""
import json
import pathlib
import re
import sys

import zmq

PATIENCE_MS = 5000


def main():
    file = pathlib.Path(sys.argv[1])
    value = lambda name: re.search("^" + name + ' = "(.*)"$', file.read_text(), re.MULTILINE)[1]
    socket = zmq.Context().socket(zmq.REQ)
    socket.linger = 0
    socket.setsockopt(zmq.CURVE_SERVERKEY, bytes.fromhex(value("coordinator_key")))
    socket.setsockopt(zmq.CURVE_PUBLICKEY, bytes.fromhex(value("public")))
    socket.setsockopt(zmq.CURVE_SECRETKEY, bytes.fromhex(value("secret")))
    socket.connect(value("coordinator"))
    socket.send_string(" ".join(sys.argv[2:]))
    if not socket.poll(PATIENCE_MS):
        sys.exit("no answer: is the coordinator there, and is the key of this context admitted?")
    reply = json.loads(socket.recv())
    print(json.dumps(reply, indent=2))
    sys.exit(0 if reply["ok"] else 1)


if __name__ == "__main__":
    main()
