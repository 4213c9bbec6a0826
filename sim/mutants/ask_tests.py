#!/usr/bin/env python3
"""Shows that tests notice deliberate bugs: those of each id of tests/conformance.md, and others.

    ask_tests.py BIN [--jobs N] [ID, TAG or MUTANT...]

BIN has the test programs of a build with MUSTER_MUTANTS. For each mutant that names ids or tags, the
tests with each of these tags run with that mutant active, and one of them must fail. Exits with 1 if
no test notices, or if an id has no mutant. See docs/internals/simulation.md.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import mutate

# Cheapest first: the next program runs only if this one noticed nothing.
PROGRAMS = ["coordinator_core_tests", "agent_core_tests", "net_tests", "pools_tests",
            "scaling_tests", "store_tests", "scenario_tests", "random_tests", "volume_tests"]
LIST = mutate.ROOT / "tests/conformance.md"
LONGEST = 300  # Seconds. A test that takes longer has noticed the mutant: normally none does.


def ids_of_list():
    return re.findall(r"^- \*\*([A-Z]+-D?[0-9]+)\*\*: ", LIST.read_text(), re.MULTILINE)


def run(program, tests, mutant=None):
    """The exit code and the output of these tests; None if they do not end."""
    environment = {key: value for key, value in os.environ.items() if key != "MUSTER_MUTANT"}
    if mutant is not None:
        environment["MUSTER_MUTANT"] = mutant
    try:
        done = subprocess.run([program, *tests], env=environment, timeout=LONGEST, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return None, ""
    if "is not a mutant of this program" in done.stdout:
        raise mutate.Wrong(f"{program}: {done.stdout.strip()}; build it again")
    return done.returncode, done.stdout


def tags_of(program):
    _, words = run(program, ["--list-tags"])
    return set(re.findall(r"\[([\w-]+)\]", words))


def failed_test(words):
    """The name of the first test case that failed, from Catch's report."""
    found = re.search(r"^-{79}\n(.*?)\n-{79}\n", words, re.MULTILINE | re.DOTALL)
    return " ".join(found.group(1).split()) if found else "it was aborted"


def ask(tagged, mutant, one):
    """Which test of this id notices the mutant; None if none does."""
    for program, tags in tagged.items():
        if one in tags:
            code, words = run(program, [f"[{one}]", "--abort"], mutant)
            if code != 0:
                return f"{program.name}: {failed_test(words) if code else 'it does not end'}"
    return None


def ask_all(arguments):
    tagged = {path: tags_of(path) for name in PROGRAMS
              if (path := arguments.bin / name).exists()}
    if not tagged:
        raise mutate.Wrong(f"{arguments.bin} has no test programs; "
                           "cmake --preset mutants && cmake --build --preset mutants makes them")
    mutants = mutate.read_mutants()
    ids = ids_of_list()
    named = {one for mutant in mutants for one in mutant.get("ids", [])}
    if unlisted := sorted(named - set(ids)):
        raise mutate.Wrong(f"{', '.join(unlisted)}: not in the list of {LIST.name}")
    without = [one for one in ids if one not in named]
    pairs = [(mutant["name"], one) for mutant in mutants
             for one in mutant.get("ids", []) + mutant.get("tags", [])]
    if arguments.which:
        pairs = [pair for pair in pairs if set(pair) & set(arguments.which)]
        without = [one for one in without if one in arguments.which]
    unnoticed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for program, tags in tagged.items():
            asked = sorted(tags & {one for _, one in pairs})
            if asked and run(program, [",".join(f"[{one}]" for one in asked)])[0] != 0:
                raise mutate.Wrong(f"{program} fails without a mutant")
        print(f"{'TAG':12} {'MUTANT':42} NOTICED BY")
        answers = pool.map(lambda pair: ask(tagged, *pair), pairs)
        for (mutant, one), noticed in zip(pairs, answers):
            unnoticed += noticed is None
            print(f"{one:12} {mutant:42} {noticed or 'NOTHING'}", flush=True)
    for one in without:
        print(f"{one:12} has no mutant")
    print(f"{unnoticed} of {len(pairs)} not noticed; {len(without)} of {len(ids)} ids without a mutant")
    return 1 if unnoticed or without else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path, metavar="BIN")
    parser.add_argument("which", nargs="*", metavar="ID, TAG or MUTANT", help="these, instead of all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tests at a time")
    return ask_all(parser.parse_intermixed_args())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (mutate.Wrong, OSError) as error:
        sys.exit(f"ask_tests.py: {error}")
