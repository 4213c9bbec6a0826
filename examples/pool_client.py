"""What a program says to a coordinator about pools that it uses, and what it hears. No sockets and no
clock are here: proxy.py shows both.

Demand:  open reservations of pools -> the request `demand set`
Members: the answers to `pool members` -> the member to use next
"""
import itertools

MOST = 10 ** 12       # Of one reservation. An amount above it is a mistake.
TTL_MS = 10_000       # The coordinator drops a demand that was not repeated for so long.


class Demand:
    """The demand of a pool is the sum of its open reservations, so no update of it can be lost."""

    def __init__(self, reporter, life, period):
        self._head = {"verb": "demand set", "reporter": reporter, "life": life, "ttl_ms": TTL_MS}
        self._period = period
        self._ids = itertools.count(1)
        self._open = {}         # id -> (pool, amount)
        self._named = set()     # Pools in which the coordinator may know a demand of ours.
        self._sequence = 0
        self._due = 0           # No request is sent before.

    def reserve(self, pool, amount):
        """The id is for release()."""
        if not 0 < amount <= MOST:
            raise ValueError(f"an amount is from 1 to {MOST}, not {amount}")
        reservation = next(self._ids)
        self._open[reservation] = (pool, amount)
        return reservation

    def release(self, reservation):
        """A second release of the same has no effect."""
        self._open.pop(reservation, None)

    def request(self, now):
        """The request to send now, with absolute amounts; None: none is due, or nothing is to say."""
        needs = dict.fromkeys(self._named, 0)
        for pool, amount in self._open.values():
            needs[pool] = needs.get(pool, 0) + amount
        if not needs or now < self._due:
            return None
        self._due = now + self._period
        self._sequence += 1
        self._named = set(needs)  # Also if the answer is lost: the request may have arrived.
        return {**self._head, "sequence": self._sequence,
                "needs": [{"pool": pool, "amount": amount} for pool, amount in sorted(needs.items())]}

    def answered(self, request):
        """The coordinator took the request. So a pool without a need is not named any more."""
        self._named -= {need["pool"] for need in request["needs"] if need["amount"] == 0}


class Members:
    """The members of a pool in the order of the coordinator, which is the same for all clients.

    A member that cannot be reached keeps its position for a while as a placeholder (None), so a
    failed contact changes no other position. Without an answer the last members stay.
    """

    def __init__(self, pool, retry_after):
        self._pool, self._retry_after = pool, retry_after
        self._epoch = self._version = 0
        self._members = []      # Of an answer: node, address, amount.
        self._spoiled = {}      # (node, address) -> until when
        self._next = 0

    def request(self):
        return {"verb": "pool members", "name": self._pool,
                "epoch": self._epoch, "version": self._version}

    def answered(self, answer):
        known = (self._epoch, self._version)
        if (answer["epoch"], answer["version"]) < known:
            return  # Of a coordinator that leads no more.
        before = []
        if answer.get("since"):  # The answer has only what changed since that version.
            if (answer["epoch"], answer["since"]) != known:
                return  # To an older question.
            left = set(answer.get("left", ()))
            before = [member for member in self._members if member["node"] not in left]
        self._epoch, self._version = answer["epoch"], answer["version"]
        self._members = before + [member for member in answer["members"] if member.get("address")]
        present = {self._key(member) for member in self._members}
        self._spoiled = {key: until for key, until in self._spoiled.items() if key in present}

    def positions(self, now):
        return [None if self._spoiled.get(self._key(member), now) > now else member["address"]
                for member in self._members]

    def pick(self, now, tried=()):
        """The next member in turn that was not tried. Placeholders only if there is nothing else."""
        in_turn = self._members[self._next:] + self._members[:self._next]
        fresh = [member for member in in_turn if self._key(member) not in map(self._key, tried)]
        reachable = [member for member in fresh if self._spoiled.get(self._key(member), now) <= now]
        chosen = next(iter(reachable or fresh), None)
        if chosen is not None:
            self._next = (self._members.index(chosen) + 1) % len(self._members)
        return chosen

    def failed(self, member, now):
        if member in self._members:
            self._spoiled[self._key(member)] = now + self._retry_after

    def reached(self, member):
        self._spoiled.pop(self._key(member), None)

    @staticmethod
    def _key(member):
        return member["node"], member["address"]
