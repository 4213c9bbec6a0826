#!/usr/bin/python3
"""A TCP load balancer in front of a pool, which grows and shrinks with the open connections.

    proxy.py COORDINATOR POOL LISTEN [UNIT [PERIOD]]
    proxy.py tcp://127.0.0.1:7701 web 127.0.0.1:8080 100

COORDINATOR: its endpoint for operators, of several with commas; or the file of a context, which has the
keys. Each connection reserves UNIT of the pool, in the pool's unit. Each PERIOD (1) seconds the sum is
said as demand, and the members are asked for. Members are the nodes with a label `address`: HOST:PORT.
"""
import asyncio
import contextlib
import json
import os
import pathlib
import re
import signal
import sys
import time

import zmq
import zmq.asyncio

from pool_client import Demand, Members

CONTACT = 1.0       # Seconds in which a member must take a connection, or it is a placeholder,
RETRY = 5.0         # and after these it is tried again.
PATIENCE = 300.0    # A client waits so long for a member: a new node takes minutes.


class Coordinator:
    """Asks one coordinator at a time. One that does not answer is left for the next."""

    def __init__(self, where, patience):
        self._keys, self._patience, self._socket, self._is_silent = {}, patience, None, False
        if os.path.isfile(where):
            text = pathlib.Path(where).read_text()
            value = lambda name: re.search(f'^{name} = "(.*)"$', text, re.MULTILINE)[1]
            self._keys = {option: bytes.fromhex(value(name)) for option, name in (
                (zmq.CURVE_SERVERKEY, "coordinator_key"), (zmq.CURVE_PUBLICKEY, "public"),
                (zmq.CURVE_SECRETKEY, "secret"))}
            where = value("coordinator")
        self._endpoints = where.split(",")

    async def ask(self, request):
        """The answer, or None: there was none, or it is an error."""
        if self._socket is None:
            self._socket = zmq.asyncio.Context.instance().socket(zmq.REQ)
            self._socket.linger = 0
            for option, key in self._keys.items():
                self._socket.setsockopt(option, key)
            self._socket.connect(self._endpoints[0])
        await self._socket.send_string(json.dumps(request))
        answer = None
        if await self._socket.poll(self._patience * 1000):
            answer = json.loads(await self._socket.recv())
            if answer.get("ok"):
                return answer
            print("proxy:", answer["error"]["message"], file=sys.stderr)
        elif not self._is_silent:
            print("proxy: no answer from", self._endpoints[0], file=sys.stderr)
        self._is_silent = answer is None
        self._socket.close()
        self._socket = None
        self._endpoints.append(self._endpoints.pop(0))
        return None


class Proxy:
    def __init__(self, coordinator, pool, unit, period):
        self._pool, self._unit, self._period = pool, unit, period
        self._coordinator = Coordinator(coordinator, 2 * period)
        self._demand = Demand(f"proxy-{os.getpid()}", time.time_ns(), period)
        self._members = Members(pool, RETRY)

    async def talk(self):
        """Once: says the demand, and asks for the members."""
        if request := self._demand.request(time.monotonic()):
            if await self._coordinator.ask(request):
                self._demand.answered(request)
        if answer := await self._coordinator.ask(self._members.request()):
            self._members.answered(answer)

    async def talk_until(self, stop):
        while not stop.is_set():
            begin = time.monotonic()
            await self.talk()
            rest = max(0.0, begin + self._period - time.monotonic())
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stop.wait(), rest)

    async def end(self):
        """All connections are closed, so this says a demand of 0."""
        await asyncio.sleep(self._period)
        await self.talk()

    async def contact(self):
        """A connection to a member. Each that does not take it is left for the next."""
        end, tried = time.monotonic() + PATIENCE, []
        while time.monotonic() < end:
            member = self._members.pick(time.monotonic(), tried)
            if member is None:  # All were tried, or there is none yet.
                tried.clear()
                await asyncio.sleep(self._period)
                continue
            try:
                host, port = member["address"].rsplit(":", 1)
                streams = await asyncio.wait_for(asyncio.open_connection(host, int(port)), CONTACT)
                self._members.reached(member)
                return streams
            except (OSError, ValueError, asyncio.TimeoutError):
                self._members.failed(member, time.monotonic())
                tried.append(member)
        raise OSError(f"pool {self._pool} has no member that can be reached")

    async def serve(self, client, to_client):
        """One connection. It stays with its member, even if that leaves the pool meanwhile."""
        reservation, to_member = self._demand.reserve(self._pool, self._unit), None
        try:
            member, to_member = await self.contact()
            await asyncio.gather(copy(client, to_member), copy(member, to_client))
        except OSError as error:
            print("proxy:", error, file=sys.stderr)
        finally:
            self._demand.release(reservation)
            for writer in filter(None, (to_member, to_client)):
                writer.close()


async def copy(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


async def main(coordinator, pool, listen, unit="1", period="1"):
    proxy, stop = Proxy(coordinator, pool, int(unit), float(period)), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    host, port = listen.rsplit(":", 1)
    open_connections = set()

    def accept(client, to_client):
        task = asyncio.create_task(proxy.serve(client, to_client))
        open_connections.add(task)
        task.add_done_callback(open_connections.discard)

    server = await asyncio.start_server(accept, host, int(port))
    print("listening", server.sockets[0].getsockname()[1], flush=True)
    await proxy.talk_until(stop)
    server.close()
    for task in open_connections:
        task.cancel()
    await asyncio.gather(*open_connections, return_exceptions=True)
    await proxy.end()


if __name__ == "__main__":
    if not 4 <= len(sys.argv) <= 6:
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
