"""examples/proxy.py in front of servers of this test, with a coordinator that this test plays."""
import json
import pathlib
import socket
import subprocess
import sys
import threading
import time
import unittest

import zmq

PROXY = pathlib.Path(__file__).parents[3] / "examples" / "proxy.py"
PERIOD = 0.1
PATIENCE = 20.0


class Server:
    """Answers each line with its name, as long as the client wants."""

    def __init__(self, name):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.name = name
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                threading.Thread(target=self.serve, args=self.socket.accept(), daemon=True).start()
            except OSError:
                return

    def serve(self, connection, _):
        with connection, connection.makefile("rw") as lines:
            for _ in lines:
                print(self.name, file=lines, flush=True)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)  # Ends accept().
        self.socket.close()


class Coordinator:
    """A ROUTER that notes each demand and has a list of members."""

    def __init__(self):
        self.router = zmq.Context.instance().socket(zmq.ROUTER)
        self.router.linger = 0
        self.endpoint = "tcp://127.0.0.1:%d" % self.router.bind_to_random_port("tcp://127.0.0.1")
        self.members, self.version, self.demand, self.is_silent = [], 1, [], False
        self.asked, self.is_over, self.changed = 0, False, threading.Condition()
        self.thread = threading.Thread(target=self.answer, daemon=True)
        self.thread.start()

    def set_members(self, servers):
        with self.changed:
            self.version += 1
            self.members = [{"node": server.name, "address": server.address, "amount": 1}
                            for server in servers]
            asked = self.asked
        self.until(lambda: self.asked > asked + 1)  # So the proxy has the new list.

    def until(self, predicate):
        with self.changed:
            if not self.changed.wait_for(predicate, PATIENCE):
                raise AssertionError(f"not in {PATIENCE} s; demand: {self.demand}")

    def answer(self):
        while not self.is_over:
            if not self.router.poll(20):
                continue
            *route, text = self.router.recv_multipart()
            request = json.loads(text)
            with self.changed:
                if self.is_silent:
                    continue
                if request["verb"] == "demand set":
                    self.demand.append({need["pool"]: need["amount"] for need in request["needs"]})
                    reply = {"ok": True, "reply": "demand set", "newest": True}
                else:
                    self.asked += 1
                    known = request["epoch"] == 3 and request["version"] == self.version
                    reply = {"ok": True, "reply": "pool members", "name": "web", "epoch": 3,
                             "version": self.version, "since": self.version if known else 0,
                             "members": [] if known else self.members}
                self.changed.notify_all()
            self.router.send_multipart([*route, json.dumps(reply).encode()])

    def close(self):
        self.is_over = True
        self.thread.join()
        self.router.close()


class ProxyTest(unittest.TestCase):
    def setUp(self):
        self.coordinator = Coordinator()
        self.servers = [Server(name) for name in ("a", "b")]
        self.proxy = subprocess.Popen(
            [sys.executable, "-B", PROXY, self.coordinator.endpoint, "web", "127.0.0.1:0", "100",
             str(PERIOD)], stdout=subprocess.PIPE, text=True)
        self.port = int(self.proxy.stdout.readline().split()[1])

    def tearDown(self):
        self.proxy.terminate()
        self.assertEqual(self.proxy.wait(PATIENCE), 0)
        self.proxy.stdout.close()
        self.coordinator.close()
        for server in self.servers:
            server.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def ask(self, connection):
        connection.sendall(b"who\n")
        return connection.recv(100).decode().strip()

    def test_demand_follows_the_connections(self):
        self.coordinator.set_members(self.servers)
        demand = self.coordinator.demand
        with self.connect() as first:
            self.assertIn(self.ask(first), "ab")
            self.coordinator.until(lambda: demand and demand[-1] == {"web": 100})
            with self.connect() as second:
                self.assertIn(self.ask(second), "ab")
                self.coordinator.until(lambda: demand[-1] == {"web": 200})
            self.coordinator.until(lambda: demand[-1] == {"web": 100})
        self.coordinator.until(lambda: demand[-1] == {"web": 0})
        said, asked = len(demand), self.coordinator.asked
        self.coordinator.until(lambda: self.coordinator.asked > asked + 3)
        self.assertEqual(len(demand), said)

    def test_no_request_is_lost_when_a_member_is_dead(self):
        self.coordinator.set_members(self.servers)
        dead = self.servers.pop(0)
        dead.close()
        for _ in range(10):
            with self.connect() as connection:
                self.assertEqual(self.ask(connection), "b")

    def test_a_member_that_left_finishes_and_gets_nothing_new(self):
        self.coordinator.set_members(self.servers[:1])
        with self.connect() as old:
            self.assertEqual(self.ask(old), "a")
            self.coordinator.set_members(self.servers[1:])
            with self.connect() as new:
                self.assertEqual(self.ask(new), "b")
            self.assertEqual(self.ask(old), "a")

    def test_a_request_waits_for_the_first_node(self):
        with self.connect() as connection:
            self.coordinator.until(lambda: {"web": 100} in self.coordinator.demand)
            self.coordinator.set_members(self.servers[:1])
            self.assertEqual(self.ask(connection), "a")

    def test_it_goes_on_without_a_coordinator(self):
        self.coordinator.set_members(self.servers)
        self.coordinator.is_silent = True
        end = time.monotonic() + 5 * PERIOD
        while time.monotonic() < end:
            with self.connect() as connection:
                self.assertIn(self.ask(connection), "ab")
        self.coordinator.is_silent = False
        asked = self.coordinator.asked
        self.coordinator.until(lambda: self.coordinator.asked > asked)


if __name__ == "__main__":
    unittest.main()
