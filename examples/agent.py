#!/usr/bin/python3
"""A small agent for muster, written from docs/reference/protocol.md and python3-zmq alone.

Usage: agent.py NAME ENDPOINT MEMORY_FILE [STATE]
STATE has the keys that `muster-agent join TOKEN --only-join` left there; without it, no keys are used.
It joins, answers polls, starts, stops and restarts processes, and reports changes at once. It refuses
a task that needs more than it can do: limits, users, leases and the like. Its processes end with it. It
keeps no logs and answers no agent calls.
"""
import ctypes
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import uuid

import zmq

NONE = "0" * 32
BOOT_ID = pathlib.Path("/proc/sys/kernel/random/boot_id")
HELLO_AFTER_S = 3  # Without a message from the coordinator; or three rounds, if they are longer.
GONE_KEPT = 1000  # Ended instances; a coordinator with an older revision gets a snapshot.
BACKOFF_MOST_MS = 300_000

# The fields of a spec that this agent honours, or that only the coordinator needs. A task with any other
# field is refused: without `user`, for example, it would run as root.
SPEC = {"argv": [], "env": {}, "workdir": "", "stop_signal": "TERM", "grace_ms": 10_000, "restart": "always",
        "max_per_node": 1, "update": {}}
RESTART = {"policy": "always", "backoff_ms": 1000, "max": 10, "window_ms": 600_000}


class Json:
    """The form of messages: a frame with a JSON object. Msgpack is the other form."""

    @staticmethod
    def encode(message):
        return [json.dumps(message).encode()]

    @staticmethod
    def decode(frames):
        return json.loads(frames[-1])


class Memory:
    """State that must be on disk before any answer or effect that follows from it."""

    def __init__(self, file):
        self.file = pathlib.Path(file)
        self.kept = {"cluster": NONE, "epoch": 0, "leader": NONE, "counter": 0, "incarnation": 0}
        if self.file.exists():
            self.kept.update(json.loads(self.file.read_text()))

    def __getitem__(self, key):
        return self.kept[key]

    def keep(self, **news):
        if self.kept.items() >= news.items():
            return
        self.kept.update(news)
        fresh = self.file.with_suffix(".new")
        with open(fresh, "w") as out:
            json.dump(self.kept, out)
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(self.file)


def unknown_field(spec):
    """The first field that this agent cannot honour; "" if there is none."""
    rule = spec.get("restart")
    unknown = [key for key in spec if key not in SPEC]
    unknown += [key for key in rule if key not in RESTART] if isinstance(rule, dict) else []
    return unknown[0] if unknown else ""


class Instance:
    """One instance of a task in one generation. Nothing here blocks, because polls must be answered in time."""

    def __init__(self, start, spec, node, home):
        self.task, self.ordinal, self.generation = start["task"], start["ordinal"], start["generation"]
        self.proof = start.get("proof")  # Of its order; the reports repeat it.
        self.spec = {**SPEC, **spec}
        rule = self.spec["restart"]
        self.rule = {**RESTART, **(rule if isinstance(rule, dict) else {"policy": rule})}
        self.home = home / f"{self.task}.{self.ordinal}"
        self.variables = {"MUSTER_TASK": self.task, "MUSTER_INSTANCE": f"{self.task}.{self.ordinal}",
                          "MUSTER_ORDINAL": str(self.ordinal), "MUSTER_NODE": node,
                          "MUSTER_GENERATION": str(self.generation)}
        self.values = {**self.variables, "node.name": node, "node.pool": "default"}
        self.process, self.group, self.kill_at, self.start_at = None, 0, 0.0, 0.0
        self.leaving = self.gone = False
        self.begun = []  # When its processes were started, within the window of its rule.
        self.shown = {"state": "pending", "restarts": -1, "exit_code": -1, "exit_signal": 0, "started": 0,
                      "detail": ""}

    def report(self):
        return {"task": self.task, "ordinal": self.ordinal, "generation": self.generation, **self.shown,
                "restarts": max(self.shown["restarts"], 0), **({"proof": self.proof} if self.proof else {})}

    def filled_in(self, text):
        """With values in place of `${MUSTER_TASK}` and the like; `$${` writes `${`."""
        def value_of(match):
            return self.values.get(match[1], match[0]) if match[1] else "${"
        return re.sub(r"\$\$\{|\$\{([A-Za-z_.-]+)\}", value_of, text)

    def start(self, now):
        self.begun = [at for at in self.begun if now - at < self.rule["window_ms"] / 1000] + [now]
        self.home.mkdir(parents=True, exist_ok=True)
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": os.environ.get("HOME", "/")}
        environment.update({name: self.filled_in(value) for name, value in self.spec["env"].items()})
        try:
            self.process = subprocess.Popen(
                [self.filled_in(word) for word in self.spec["argv"]], env={**environment, **self.variables},
                cwd=self.filled_in(self.spec["workdir"]) or self.home, stdin=subprocess.DEVNULL,
                start_new_session=True, preexec_fn=end_with_parent)
        except OSError as error:  # The program does not exist or cannot run: another try is useless.
            self.shown.update(state="failed", detail=error.strerror)
            return
        self.group = self.process.pid
        self.shown.update(state="running", started=int(time.time() * 1000), detail="",
                          restarts=self.shown["restarts"] + 1)

    def stop(self, now):
        """Sends the task's signal now, and SIGKILL to the whole group after its grace."""
        if self.leaving:
            return
        self.leaving = True
        if not self.group:
            self.gone = True
            return
        self.shown["state"] = "stopping"
        self.kill_at = now + self.spec["grace_ms"] / 1000
        signal_group(self.group, getattr(signal, "SIG" + self.spec["stop_signal"]))

    def advance(self, now):
        """Does what is due. True: its report changed, or it is gone."""
        before = (dict(self.shown), self.gone)
        if self.leaving and self.group and now >= self.kill_at:
            signal_group(self.group, signal.SIGKILL)
        if self.process and self.process.poll() is not None:
            self.ended(self.process.returncode)
        if self.group and not self.process and not signal_group(self.group, signal.SIGKILL):
            self.group = 0  # Its children are gone, too.
            self.gone = self.leaving
        if not (self.leaving or self.group) and self.shown["state"] in ("pending", "backoff") and now >= self.start_at:
            self.start(now)
        return before != (self.shown, self.gone)

    def ended(self, code):
        self.process = None
        self.shown.update(exit_code=max(code, -1), exit_signal=max(-code, 0))
        if self.leaving:
            return
        policy = self.rule["policy"]
        if policy == "never" or (policy == "on-failure" and code == 0):
            self.shown["state"] = "exited"
        elif len(self.begun) >= self.rule["max"]:
            self.shown.update(state="failed", detail=f"it was started {len(self.begun)} times")
        else:
            delay = min(self.rule["backoff_ms"] * 2 ** (len(self.begun) - 1), BACKOFF_MOST_MS) / 1000
            self.start_at = time.monotonic() + delay
            self.shown["state"] = "backoff"


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def signal_group(group, number):
    """False: no process is left in it."""
    try:
        os.killpg(group, number)
        return True
    except ProcessLookupError:
        return False


class Agent:
    def __init__(self, name, endpoint, file, state="", form=Json):
        self.form = form
        self.memory = Memory(file)
        self.memory.keep(incarnation=self.memory["incarnation"] + 1)
        self.home = self.memory.file.with_suffix(".work")
        self.me = {"name": name, "life": uuid.uuid4().hex, "boot": BOOT_ID.read_text().strip().replace("-", "")}
        self.leader = {}  # The last welcome.
        self.specs = {}  # By task and generation.
        self.instances = {}  # By task and ordinal.
        self.next = {}  # By task and ordinal: a start that waits for the end of an older generation.
        self.revision = 1
        self.changed, self.gone = {}, []  # The revisions of present and of removed instances.
        self.reaches_back = 1  # A delta can begin at this revision.
        self.reported_revision = 0  # The last revision reported to this leader; 0: none.
        self.counted_in, self.obeyed, self.issued = 0, 0, 0  # The epoch of both sequences.
        self.hello_at = 0.0
        self.ending = False
        self.link = zmq.Context().socket(zmq.DEALER)
        self.link.immediate, self.link.linger = 1, 200  # Unsent messages are dropped: reports are repeated.
        if state:
            self.use_keys(pathlib.Path(state))
        self.link.connect(endpoint)

    def use_keys(self, state):
        text = (state / "cluster").read_text() + (state / "agent.key").read_text()
        for option, name in ((zmq.CURVE_SERVERKEY, "coordinator_key"), (zmq.CURVE_PUBLICKEY, "public"),
                             (zmq.CURVE_SECRETKEY, "secret")):
            self.link.setsockopt(option, bytes.fromhex(re.search(name + ' = "(.*)"', text)[1]))

    # ---- sending ----

    def send(self, of_type, **fields):
        if self.link.poll(0, zmq.POLLOUT):
            message = {"type": of_type, **fields, "incarnation": self.memory["incarnation"]}
            self.link.send_multipart(self.form.encode(message))

    def hello(self):
        seen = {key: self.memory[key] for key in ("cluster", "epoch", "leader", "counter")}
        self.hello_at = time.monotonic() + HELLO_AFTER_S
        self.send("hello", **self.me, **seen, version="example", keeps_proofs=True)

    def report(self, number, seen):
        kind = "same" if seen == self.revision else "delta" if self.reaches_back <= seen < self.revision else "snapshot"
        lower = {"same": self.revision, "delta": seen, "snapshot": 0}[kind]
        news = sorted(key for key, at in self.changed.items() if at > lower)
        gone = sorted({key for at, key in self.gone if at > lower and key not in self.instances})
        self.reported_revision = self.revision
        self.send("report", kind=kind, epoch=self.leader["epoch"], round=number, to=self.revision,
                  obeyed=self.obeyed if self.counted_in == self.leader["epoch"] else 0,
                  instances=[self.instances[key].report() for key in news],
                  **({"from": seen, "gone": [{"task": task, "ordinal": ordinal} for task, ordinal in gone]}
                     if kind == "delta" else {}))

    # ---- fencing ----

    def is_obeyed(self, them):
        """True for the own cluster, no lower epoch, and the one leader of that epoch."""
        if self.memory["cluster"] not in (NONE, them["cluster"]):
            return False
        return (them["epoch"] > self.memory["epoch"]
                or (them["epoch"], them["leader"]) == (self.memory["epoch"], self.memory["leader"]))

    def count_sequences_of(self, epoch):
        if epoch != self.counted_in:
            self.counted_in, self.obeyed, self.issued = epoch, 0, 0

    # ---- messages ----

    def on_welcome(self, message):
        if message["incarnation"] == self.memory["incarnation"]:
            self.leader, self.reported_revision = message, 0

    def on_refused(self, message):
        code, now = message["code"], time.monotonic()
        if code == "stale_incarnation":
            self.memory.keep(incarnation=max(self.memory["incarnation"], message["known"] + 1))
        elif code != "hello_required":
            print(f"refused as {code}: {message['detail']}", file=sys.stderr, flush=True)
            self.leader = {}
            self.hello_at = now + (message["retry_after_ms"] / 1000 or HELLO_AFTER_S)
            return
        self.leader, self.hello_at = {}, now + 0.02

    def on_poll(self, poll):
        """A poll names no leader: it is answered only if its epoch is that of the last welcome."""
        if poll["epoch"] != self.leader.get("epoch") or poll["incarnation"] != self.memory["incarnation"]:
            self.hello_at = min(self.hello_at, time.monotonic() + 0.02)
            return
        if self.is_obeyed(self.leader):
            self.memory.keep(epoch=poll["epoch"], leader=self.leader["leader"])
            self.count_sequences_of(poll["epoch"])
            self.issued = max(self.issued, poll["issued"])
        self.report(poll["round"], poll["seen"])  # Even to a leader that is not obeyed, so that it can count the node.

    def on_batch(self, batch):
        code = ("stale_incarnation" if batch["incarnation"] != self.memory["incarnation"]
                else "foreign_cluster" if self.memory["cluster"] not in (NONE, batch["cluster"])
                else "" if self.is_obeyed(batch) else "stale_epoch")
        refusals = [self.refusal(one, code) for one in batch["stops"] + batch["starts"] if code]
        is_new = batch["epoch"] != self.counted_in or batch["sequence"] > max(self.obeyed, self.issued)
        if not code and is_new:
            self.memory.keep(cluster=batch["cluster"], epoch=batch["epoch"], leader=batch["leader"],
                             counter=max(self.memory["counter"], batch["counter"]))
            self.count_sequences_of(batch["epoch"])
            self.obeyed = batch["sequence"]
            refusals = self.carry_out(batch)
        self.send("ack", epoch=self.memory["epoch"], refusals=refusals,
                  obeyed=self.obeyed if self.counted_in == self.memory["epoch"] else 0)

    # ---- commands ----

    @staticmethod
    def refusal(command, code, detail=""):
        return {key: command[key] for key in ("task", "ordinal", "generation")} | {"code": code, "detail": detail}

    def carry_out(self, batch):
        now, refusals = time.monotonic(), []
        self.specs.update({(one["task"], one["generation"]): one["spec"] for one in batch["specs"]})
        for stop in batch["stops"]:
            key = stop["task"], stop["ordinal"]
            if key in self.next and self.next[key]["generation"] <= stop["generation"]:
                del self.next[key]
            if key in self.instances and self.instances[key].generation <= stop["generation"]:
                self.instances[key].stop(now)
                self.touch(key)
        for start in batch["starts"]:
            spec = self.specs.get((start["task"], start["generation"]))
            unknown = unknown_field(spec) if spec else ""
            if self.ending:
                refusals.append(self.refusal(start, "refused", "the agent ends"))
            elif spec is None:
                refusals.append(self.refusal(start, "spec_unknown"))
            elif unknown:
                refusals.append(self.refusal(start, "spec_unsupported", f"this agent cannot honour '{unknown}'"))
            else:
                self.start(start, now)
        return refusals

    def start(self, command, now):
        key = command["task"], command["ordinal"]
        waits = self.next.get(key)
        if waits and waits["generation"] >= command["generation"]:
            return
        there = self.instances.get(key)
        if there:
            is_new = there.generation < command["generation"]
            if is_new or (there.leaving and there.generation == command["generation"]):
                self.next[key] = command
                there.stop(now)
                self.touch(key)
            elif there.generation == command["generation"] and command.get("proof", there.proof) != there.proof:
                there.proof = command["proof"]
                self.touch(key)
            return
        spec = self.specs[command["task"], command["generation"]]
        self.instances[key] = Instance(command, spec, self.me["name"], self.home)
        self.touch(key)

    # ---- the states of instances ----

    def touch(self, key):
        """Every change of an instance is a revision."""
        self.revision += 1
        self.changed[key] = self.revision

    def advance(self):
        now = time.monotonic()
        for key, instance in list(self.instances.items()):
            if instance.advance(now) or instance.gone:
                self.touch(key)
            if instance.gone:
                del self.instances[key], self.changed[key]
                self.gone.append((self.revision, key))
                if len(self.gone) > GONE_KEPT:
                    self.reaches_back = self.gone.pop(0)[0]
                if key in self.next:
                    self.start(self.next.pop(key), now)
        if self.leader and not self.ending and self.reported_revision not in (0, self.revision):
            self.report(0, self.reported_revision)  # Unsolicited.

    # ---- the main loop ----

    def step(self):
        self.advance()
        if time.monotonic() >= self.hello_at:
            self.hello()
        if self.link.poll(20):
            message = self.form.decode(self.link.recv_multipart())
            if self.leader:
                self.hello_at = time.monotonic() + max(HELLO_AFTER_S, 3 * self.leader["round_ms"] / 1000)
            handler = getattr(self, "on_" + message["type"], None)
            if handler:  # An agent call may stay without an answer.
                handler(message)

    def end(self):
        """Stops all instances, answers polls until all are gone, and announces its departure."""
        self.ending = True
        self.next.clear()
        for key, instance in self.instances.items():
            instance.stop(time.monotonic())
            self.touch(key)
        while self.instances:
            self.step()
        self.send("departure")
        self.link.close()


def main(form=Json):
    agent = Agent(*sys.argv[1:5], form=form)
    ends = []
    signal.signal(signal.SIGTERM, lambda *_: ends.append(True))
    while not ends:
        agent.step()
    agent.end()


if __name__ == "__main__":
    main()
