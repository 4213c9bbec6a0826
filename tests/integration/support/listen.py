"""Prints the topics and bodies of events that a SUB socket under CURVE gets, until it is killed.

    listen.py ENDPOINT SERVER_KEY CONTEXT_FILE [TOPIC...]

Without a topic it subscribes to all. Each event is one line: the topic, a space, the JSON body. The
first line is `listening`.
"""
import re
import sys

import zmq


def main():
    endpoint, server, path = sys.argv[1:4]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    own = {what: re.search(f'^{what} = "([0-9a-f]+)"', text, re.M).group(1) for what in ("public", "secret")}
    socket = zmq.Context().socket(zmq.SUB)
    socket.curve_serverkey = bytes.fromhex(server)
    socket.curve_publickey = bytes.fromhex(own["public"])
    socket.curve_secretkey = bytes.fromhex(own["secret"])
    for topic in sys.argv[4:] or [""]:
        socket.setsockopt(zmq.SUBSCRIBE, topic.encode())
    socket.connect(endpoint)
    print("listening", flush=True)
    while True:
        topic, body = socket.recv_multipart()
        print(topic.decode(), body.decode(), flush=True)


main()
