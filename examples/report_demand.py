#!/usr/bin/python3
"""Says every second how much of a pool is needed, as a load balancer would.

    report_demand.py tcp://127.0.0.1:7701 POOL REPORTER < AMOUNTS

Each line of the input is the amount from now on. At the end it needs nothing any more. For a
coordinator without keys; ask.py shows the keys.
"""
import json
import select
import sys
import time

import zmq

if len(sys.argv) != 4:
    sys.exit("usage: report_demand.py ENDPOINT POOL REPORTER < AMOUNTS")
endpoint, pool, reporter = sys.argv[1:]
amounts = open(0, "rb", buffering=0)  # select() does not see what a buffer has.
life, sequence, amount = int(time.time()), 0, 0


def report(socket):
    global sequence
    sequence += 1
    socket.send(json.dumps({"verb": "demand set", "reporter": reporter, "life": life,
                            "sequence": sequence, "ttl_ms": 10000,
                            "needs": [{"pool": pool, "amount": amount}]}).encode())
    if not socket.poll(5000):
        sys.exit("no answer from " + endpoint)
    answer = json.loads(socket.recv())
    if not answer["ok"]:
        sys.exit(answer["error"]["message"])


with zmq.Context() as context, context.socket(zmq.REQ) as socket:
    socket.linger = 0
    socket.connect(endpoint)
    while True:
        if select.select([amounts], [], [], 1)[0]:
            line = amounts.readline().strip()
            if line and not line.isdigit():
                sys.exit(f"an amount is a whole number, not {line.decode(errors='replace')!r}")
            amount = int(line or 0)
            report(socket)
            if not line:
                break
        else:
            report(socket)
