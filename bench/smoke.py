#!/usr/bin/python3
"""Runs each benchmark of a program once at its smallest size: each must print one figure.

    smoke.py PROGRAM
"""

import json
import math
import subprocess
import sys


def main() -> int:
    program = sys.argv[1]
    listed = subprocess.run(
        [program, "--smoke", "--list"], check=True, stdout=subprocess.PIPE, text=True)
    names = listed.stdout.split()
    ran = subprocess.run([program, "--smoke"], check=False, stdout=subprocess.PIPE, text=True)
    figures = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    faults = []
    if ran.returncode != 0:
        faults.append(f"it ended with {ran.returncode}")
    if not names:
        faults.append("it has no benchmark")
    for name in names:
        values = [figure["value"] for figure in figures if figure["name"] == name]
        if len(values) != 1:
            faults.append(f"{name} printed {len(values)} figures")
        elif not math.isfinite(values[0]):
            faults.append(f"{name} printed {values[0]}")
    for fault in faults:
        print(f"{program}: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
