"""Compares the places in the cores that no test reached with the list of reasons for such places.

    coverage_gaps.py BRANCHES.json LIST.md

The first has the counts of gcovr. In the second each row of a table, | file | line of code | reason |,
explains every line of that file that contains the code; `*` is every file, but only lines that were run.
Exits with 1 if a core is below the goal, a place has no reason, or a reason explains nothing.

Neither number has branches of the compiler (docs/internals/coverage.md): the untaken branches of an executed line
without a choice, and the branch of a `switch` for a value without a name.
"""

import collections
import json
import pathlib
import re
import sys

GOAL = 95.0
CORES = ("coordinator/core", "agent/core")
CHOICE = re.compile(r"\b(if|for|while|switch|case|do|and|or)\b|&&|\|\||\?|^\s*:|= default")

Gap = collections.namedtuple("Gap", "file number code runs missing")


def made_by_compiler(code, runs, missing):
    """How many of the untaken branches of this line are not in the source."""
    if runs == 0:
        return 0
    if not CHOICE.search(code):
        return missing
    return 1 if missing == 1 and re.search(r"\bswitch \(", code) else 0


def untaken(counted):
    """Per core the branches, the taken ones, and those left out of both; and each line with a gap."""
    totals = {core: collections.Counter() for core in CORES}
    gaps = []
    for file in counted["files"]:
        total = totals[next(core for core in CORES if file["file"].startswith(core))]
        source = pathlib.Path(file["file"]).read_text().splitlines()
        for line in file["lines"]:
            branches = [branch for branch in line["branches"] if not branch["throw"]]
            taken = sum(branch["count"] > 0 for branch in branches)
            code = source[line["line_number"] - 1].strip()
            left_out = made_by_compiler(code, line["count"], len(branches) - taken)
            missing = len(branches) - taken - left_out
            total.update(taken=taken, branches=taken + missing, left_out=left_out)
            if missing or (line["count"] == 0 and not line["gcovr/noncode"]):
                gaps.append(Gap(file["file"], line["line_number"], code, line["count"], missing))
    return totals, gaps


def reasons_of(page):
    rows = []
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("| ").replace("\\|", "\0").split("|")]
        if len(cells) == 3 and cells[1].startswith("`"):
            file, code, reason = (cell.replace("\0", "|").strip("`") for cell in cells)
            rows.append((file, code, reason))
    return rows


def reason_of(gap, rows):
    """The reason for its file wins over the reason for all files, which never holds for a line that was not run."""
    files = (gap.file, "*") if gap.runs else (gap.file,)
    return next((row for file in files for row in rows if row[0] == file and row[1] in gap.code), None)


def main():
    counted = json.loads(pathlib.Path(sys.argv[1]).read_text())
    rows = reasons_of(pathlib.Path(sys.argv[2]))
    totals, gaps = untaken(counted)
    explained = {row: 0 for row in rows}
    unexplained = []
    for gap in gaps:
        row = reason_of(gap, rows)
        if row:
            explained[row] += 1
        else:
            unexplained.append(gap)
    for (file, code, reason), lines in explained.items():
        print(f"{lines:4}  {file}: {code}: {reason}")
    for gap in unexplained:
        what = f"{gap.missing} not taken" if gap.runs else "never run"
        print(f"no reason for {gap.file}:{gap.number}: {what}: {gap.code}")
    idle = [row for row, lines in explained.items() if lines == 0]
    for file, code, _ in idle:
        print(f"no gap any more: {file}: {code}")
    low = False
    for core, total in totals.items():
        share = 100 * total["taken"] / total["branches"]
        low |= share < GOAL
        print(
            f"{core}: {total['taken']} of {total['branches']} branches, {share:.2f} %"
            f" (goal {GOAL:.0f} %); {total['left_out']} of the compiler's own left out"
        )
    return 1 if low or unexplained or idle else 0


sys.exit(main())
