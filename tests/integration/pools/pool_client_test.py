"""Tests of examples/pool_client.py. pool_client_test.cpp runs each by its name."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "examples"))
sys.dont_write_bytecode = True

from pool_client import MOST, Demand, Members  # noqa: E402


def needs(request):
    return {need["pool"]: need["amount"] for need in request["needs"]}


def answer(nodes, version, epoch=3):
    return {"reply": "pool members", "name": "web", "epoch": epoch, "version": version,
            "since": 0, "left": [],
            "members": [{"node": f"n{n}", "address": f"127.0.0.1:{8000 + n}", "amount": 1}
                        for n in nodes]}


class DemandTest(unittest.TestCase):
    def setUp(self):
        self.now, self.demand = 0, Demand("lb", 1, period=1)

    def said(self, arrives=True):
        """What is said in the next period; None: nothing."""
        self.now += 1
        request = self.demand.request(self.now)
        if request and arrives:
            self.demand.answered(request)
        return request and needs(request)

    def test_follows_reservations(self):
        first = self.demand.reserve("web", 300)
        self.assertEqual(self.said(), {"web": 300})
        second = self.demand.reserve("web", 300)
        self.assertEqual(self.said(), {"web": 600})
        self.demand.release(second)
        self.assertEqual(self.said(), {"web": 300})
        self.assertEqual(self.said(), {"web": 300})  # Else the coordinator would drop it.
        self.demand.release(first)
        self.assertEqual(self.said(), {"web": 0})

    def test_pools_are_independent(self):
        web = self.demand.reserve("web", 300)
        self.demand.reserve("api", 20)
        self.assertEqual(self.said(), {"web": 300, "api": 20})
        self.demand.release(web)
        self.assertEqual(self.said(), {"web": 0, "api": 20})
        self.assertEqual(self.said(), {"api": 20})

    def test_zero_is_said_once(self):
        reservation = self.demand.reserve("web", 300)
        self.said()
        self.demand.release(reservation)
        self.assertEqual(self.said(arrives=False), {"web": 0})
        self.assertEqual(self.said(), {"web": 0})  # The first was lost.
        self.assertIsNone(self.said())

    def test_release_never_goes_below_zero(self):
        first, second = self.demand.reserve("web", 300), self.demand.reserve("web", 5)
        self.demand.release(first)
        self.demand.release(first)
        self.demand.release(12345)
        self.assertEqual(self.said(), {"web": 5})
        self.demand.release(second)
        self.demand.release(second)
        self.assertEqual(self.said(), {"web": 0})
        for amount in (0, -1, MOST + 1):
            with self.assertRaises(ValueError):
                self.demand.reserve("web", amount)

    def test_updates_merge_and_no_release_is_lost(self):
        ids = [self.demand.reserve("web", 1) for _ in range(1000)]
        request = self.demand.request(1)
        self.assertEqual(needs(request), {"web": 1000})
        for reservation in ids[:999]:
            self.demand.release(reservation)
            self.assertIsNone(self.demand.request(1.5))  # At most once a period.
        later = self.demand.request(2)  # The first was never answered.
        self.assertEqual(needs(later), {"web": 1})
        self.assertGreater(later["sequence"], request["sequence"])


class MembersTest(unittest.TestCase):
    def setUp(self):
        self.members = Members("web", retry_after=5)

    def picked(self, now, count):
        return [self.members.pick(now)["node"] for _ in range(count)]

    def test_exactly_those_that_serve_in_their_order(self):
        self.members.answered(answer([1, 2, 19], version=7))
        self.assertEqual(self.picked(0, 4), ["n1", "n2", "n19", "n1"])
        self.assertEqual(self.members.request(),
                         {"verb": "pool members", "name": "web", "epoch": 3, "version": 7})
        self.members.answered(answer([1, 3], version=8))
        self.assertEqual(self.members.positions(0), ["127.0.0.1:8001", "127.0.0.1:8003"])
        self.assertEqual(set(self.picked(0, 4)), {"n1", "n3"})
        self.members.answered(answer([], version=9))
        self.assertIsNone(self.members.pick(0))

    def test_changes_are_applied_in_order(self):
        self.members.answered(answer([1, 2, 3], version=7))
        self.members.answered({**answer([4, 2], version=9), "since": 7, "left": ["n2"]})
        self.assertEqual(self.picked(0, 4), ["n1", "n3", "n4", "n2"])
        self.assertEqual(self.members.request()["version"], 9)
        self.members.answered({**answer([5], version=10), "since": 7, "left": ["n1"]})
        self.assertEqual(self.members.request()["version"], 9)  # It answered an older question.
        self.members.answered(answer([6], version=11))
        self.assertEqual(self.members.positions(0), ["127.0.0.1:8006"])

    def test_a_placeholder_keeps_positions(self):
        self.members.answered(answer([1, 2, 3], version=7))
        second = self.members._members[1]
        self.members.failed(second, now=0)
        self.assertEqual(self.members.positions(1), ["127.0.0.1:8001", None, "127.0.0.1:8003"])
        self.assertEqual(self.picked(1, 4), ["n1", "n3", "n1", "n3"])
        self.members.answered(answer([1, 2, 3, 4], version=8))
        self.assertEqual(self.members.positions(1).index(None), 1)
        self.assertEqual(self.members.positions(5)[1], "127.0.0.1:8002")  # It is tried again.
        self.members.failed(second, now=6)
        self.members.reached(second)
        self.assertNotIn(None, self.members.positions(6))

    def test_the_last_members_stay_without_an_answer(self):
        self.members.answered(answer([1, 2, 3], version=7))
        self.members.answered({"epoch": 3, "version": 7, "since": 7, "members": []})
        self.members.answered(answer([9], version=9, epoch=2))  # Of a former leader.
        self.assertEqual(len(self.members.positions(0)), 3)
        self.members.failed(self.members.pick(0), now=0)
        self.assertEqual(self.members.positions(0).count(None), 1)
        tried = []
        while member := self.members.pick(0, tried):  # Each once, the placeholder last.
            tried.append(member)
        self.assertEqual([member["node"] for member in tried], ["n2", "n3", "n1"])


if __name__ == "__main__":
    unittest.main()
