"""Strangers at the doors of a coordinator: none of them has a key that is admitted.

    siege.py SERVER_KEY ENDPOINT... [--http ADDRESS] [--seconds N] [--sockets N] [--rate N] [--no-garbage]

For so many seconds: RATE handshakes a second that are refused, SOCKETS open connections that send a byte of
their greeting now and then, and garbage at each endpoint. Prints one line of JSON with what was done.
"""
import argparse
import collections
import json
import multiprocessing
import os
import random
import resource
import threading
import time

import curve_wire as wire

PROCESSES, THREADS = 4, 6  # Of handshakes.
COUNTS = collections.Counter()
LOCK = threading.Lock()


def count(name, by=1):
    with LOCK:
        COUNTS[name] += by


def source():
    """Another address of this host for each, as strangers have."""
    return f"127.{random.randrange(1, 60)}.{random.randrange(256)}.{random.randrange(1, 255)}"


def hostile_handshake(server, endpoint):
    """Of a key that nobody admitted, or one that breaks off or is wrong."""
    peer = wire.Peer(endpoint, server, wire.new_keys(), source=source())
    try:
        way = random.randrange(4)
        if way == 0:
            peer.greet().send(peer.hello()[:-1] + b"x")
        elif way == 1:
            peer.welcome()
        else:
            peer.handshake()
            count("admitted")  # Must not be.
    except wire.Closed:
        count("refused")
    finally:
        peer.close()


def pace(given, server, ends):
    """Its share of the rate; what it is behind it catches up."""
    due = time.monotonic()
    while (now := time.monotonic()) < ends:
        if now < due:
            time.sleep(due - now)
        due += PROCESSES * THREADS / given.rate
        try:
            hostile_handshake(server, random.choice(given.endpoints))
            count("handshakes")
        except OSError:
            count("not_connected")


def paced(given, server, ends):
    threads = [threading.Thread(target=pace, args=(given, server, ends)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def slow_ones(given, ends):
    """Keeps so many connections open, each in the middle of its greeting."""
    open_ones = collections.deque()
    at_once = max(1, given.sockets // 50)
    while time.monotonic() < ends:
        for _ in range(min(at_once, given.sockets - len(open_ones))):
            try:
                open_ones.append(wire.connect(random.choice(given.endpoints), source()))
                open_ones[-1].setblocking(False)
                open_ones[-1].send(wire.greeting()[:10])
                count("opened")
            except OSError:
                count("not_connected")
        with LOCK:
            COUNTS["most_open"] = max(COUNTS["most_open"], len(open_ones))
        for _ in range(min(at_once, len(open_ones))):
            one = open_ones.popleft()
            try:
                one.send(b"\0")
                if one.recv(1 << 16):
                    raise BlockingIOError
                one.close()  # The other side had enough of it.
                count("closed")
            except BlockingIOError:
                open_ones.append(one)
            except OSError:
                one.close()
                count("closed")
        time.sleep(0.02)
    for one in open_ones:
        one.close()


def garbage(places, ends):
    beginnings = [b"", wire.greeting(), wire.greeting(b"NULL"), b"GET /metrics HTTP/1.1\r\n", b"\x16\x03\x01", b"\xff" * 9]
    while time.monotonic() < ends:
        for place in places:
            try:
                one = wire.connect(place, source(), timeout=0.5)
                data = random.choice(beginnings) + os.urandom(random.randrange(1, 1 << 16))
                one.sendall(data)
                count("garbage_bytes", len(data))
                one.close()
            except OSError:
                count("cut_while_sending")
            count("garbage_connections")
            time.sleep(0.005)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("endpoints", nargs="+")
    parser.add_argument("--http")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--sockets", type=int, default=300)
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--no-garbage", action="store_true")
    given = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = bytes.fromhex(given.server)
    ends = time.monotonic() + given.seconds
    parts = [(slow_ones, given, ends)] if given.sockets else []
    parts += [(paced, given, server, ends)] * (PROCESSES if given.rate else 0)
    if not given.no_garbage:
        parts.append((garbage, given.endpoints + ([given.http] if given.http else []), ends))
    done = multiprocessing.SimpleQueue()

    def run(part, *arguments):
        random.seed()
        part(*arguments)
        done.put(COUNTS)

    processes = [multiprocessing.Process(target=run, args=part) for part in parts]
    for process in processes:
        process.start()
    for _ in processes:
        COUNTS.update(done.get())
    for process in processes:
        process.join()
    print(json.dumps(COUNTS))


main()
