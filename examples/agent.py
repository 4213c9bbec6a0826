#!/usr/bin/python3
"""A whole agent on a page: it joins, reports, starts and stops, by docs/reference/protocol.md and python3-zmq alone.
Usage: agent.py NAME ENDPOINT MEMORY_FILE. It restarts nothing and kills at once: a real one does more."""
import json, os, pathlib, signal, subprocess, sys, time, uuid, zmq
file, none, boot = pathlib.Path(sys.argv[3]), "0" * 32, pathlib.Path("/proc/sys/kernel/random/boot_id")
me = {"name": sys.argv[1], "life": uuid.uuid4().hex, "boot": boot.read_text().strip()}
memory = {"cluster": none, "epoch": 0, "leader": none, "counter": 0, "incarnation": 0}
leader, specs, instances = {}, {}, {}  # The last welcome; by (task, generation); by (task, ordinal).
last, revision, heard = {"obeyed": 0, "closed": 0}, 1, -60  # A batch up to `closed` comes too late.
link = zmq.Context().socket(zmq.DEALER)
link.immediate, link.linger = 1, 200  # What cannot be sent is not kept: it is said anew later.

def say(what, **fields):
    link.poll(0, zmq.POLLOUT) and link.send_json({**fields, "type": what, "incarnation": memory["incarnation"]})
def remember(**news):  # On disk before any answer or effect that follows from it.
    memory.update(news)
    file.with_suffix(".new").write_text(json.dumps(memory))
    file.with_suffix(".new").replace(file)
def follows(them):  # An epoch has one leader, and nobody goes back to an earlier one.
    if memory["cluster"] in (none, them["cluster"]) and them["epoch"] > memory["epoch"]:
        last.update(obeyed=0, closed=0)  # Sequences are counted anew in each epoch.
        remember(epoch=them["epoch"], leader=them["leader"])
    return (them["epoch"], them["leader"]) == (memory["epoch"], memory["leader"])
def generation_of(one):  # Of the copy that is here; 0: there is none.
    return instances.get((one["task"], one["ordinal"]), {}).get("generation", 0)
def stop(one):
    process = instances.pop((one["task"], one["ordinal"]))["process"]
    if process and process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
def start(one, argv):
    try:
        process, state = subprocess.Popen(argv, start_new_session=True), {"state": "running"}
    except OSError as error:  # There is no such program, or it is none.
        process, state = None, {"state": "failed", "detail": error.strerror}
    instances[one["task"], one["ordinal"]] = {**one, **state, "process": process}
def answer(poll):
    if poll["epoch"] == leader.get("epoch") and follows(leader):
        last["closed"], same = max(last["closed"], poll["issued"]), poll["seen"] == revision
        shown = [{k: v for k, v in one.items() if k != "process"} for _, one in sorted(instances.items())]
        say("report", kind="same" if same else "snapshot", epoch=poll["epoch"], round=poll["round"],
            to=revision, obeyed=last["obeyed"], instances=[] if same else shown)
def obey(batch):
    global revision
    lacking, ours = [], batch["incarnation"] == memory["incarnation"] and follows(batch)
    if ours and batch["sequence"] > max(last.values()):
        remember(cluster=batch["cluster"], counter=max(memory["counter"], batch["counter"]))
        last["obeyed"], revision = batch["sequence"], revision + 1
        specs.update({(s["task"], s["generation"]): s["spec"]["argv"] for s in batch["specs"]})
        lacking = [one for one in batch["starts"] if (one["task"], one["generation"]) not in specs]
        newer = [one for one in batch["starts"] if generation_of(one) < one["generation"] and one not in lacking]
        for one in batch["stops"] + newer:  # A start of a higher generation replaces what runs.
            0 < generation_of(one) <= one["generation"] and stop(one)
        [start(one, specs[one["task"], one["generation"]]) for one in newer]
    say("ack", epoch=batch["epoch"], obeyed=last["obeyed"], refusals=[dict(one, code="spec_unknown") for one in lacking])
def refused(message):
    global heard
    if message["code"] in ("hello_required", "stale_incarnation"):
        heard = -60
        remember(incarnation=max(memory["incarnation"], message["known"] + 1))

memory.update(json.loads(file.read_text()) if file.exists() else {})
remember(incarnation=memory["incarnation"] + 1)
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
link.connect(sys.argv[2])
try:
    while True:
        if time.monotonic() - heard > 3:
            heard = time.monotonic()
            say("hello", **me, **{key: memory[key] for key in ("cluster", "epoch", "leader", "counter")})
        if link.poll(100):
            message, heard = json.loads(link.recv_multipart()[0]), time.monotonic()
            {"welcome": leader.update, "refused": refused, "poll": answer, "batch": obey}[message["type"]](message)
        for one in instances.values():
            if one["state"] == "running" and one["process"].poll() is not None:
                code, revision = one["process"].returncode, revision + 1
                one.update(state="exited", exit_code=max(code, -1), exit_signal=max(-code, 0))
finally:
    [stop(one) for one in list(instances.values())]
    say("goodbye")
