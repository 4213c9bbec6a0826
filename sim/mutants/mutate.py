#!/usr/bin/env python3
"""Makes the mutated copies of sources that a build with MUSTER_MUTANTS compiles.

    mutate.py --check          checks that each place in the lists exists
    mutate.py --files          the sources that have mutants, a line each
    mutate.py --lists          the files that list mutants, a line each
    mutate.py --write DIR      their copies, and the list as C++, below DIR

In a copy each place is a choice at run time between the original code and the mutant's code.
docs/internals/simulation.md says how to write a mutant.
"""

import pathlib
import re
import sys
import tomllib
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = ROOT / "sim/mutants"
HUNTED = "mutants.toml"  # The simulator finds these. Tests find those of the other lists, by ids or tags.
FEWEST = 50
KEYS = {"name", "file", "find", "with", "why", "statement", "nodes", "seconds", "faults", "ids", "tags"}


class Wrong(Exception):
    pass


def lists():
    return sorted(LISTS.glob("*.toml"))


def read_list(path):
    hunted = path.name == HUNTED
    mutants = tomllib.loads(path.read_text()).get("mutant", [])
    if hunted and len(mutants) < FEWEST:
        raise Wrong(f"there are {len(mutants)} mutants to hunt, and at least {FEWEST} are to be")
    for mutant in mutants:
        mutant["hunted"] = hunted
    return mutants


def read_mutants():
    mutants = [mutant for path in lists() for mutant in read_list(path)]
    names = set()
    numbers = set()
    for place, mutant in enumerate(mutants, 1):
        name = mutant.get("name", f"number {place}")
        missing = {"name", "file", "find", "with", "why"} - mutant.keys()
        unknown = mutant.keys() - KEYS - {"hunted"}
        if missing or unknown:
            raise Wrong(f"{name}: lacks {sorted(missing)}, and has {sorted(unknown)} too many")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or name in names:
            raise Wrong(f"{name}: a name is unique, of small letters, digits and single hyphens")
        if not mutant["file"].endswith(".cpp"):
            raise Wrong(f"{name}: {mutant['file']} is a header, and only sources are copied")
        if "\n" in mutant["why"] or not mutant["why"].strip():
            raise Wrong(f"{name}: why is one line")
        if not mutant["hunted"] and not mutant.get("ids") and not mutant.get("tags"):
            raise Wrong(f"{name}: the simulator does not hunt it, so it names ids or tags of tests")
        for one in mutant.get("ids", []):
            if not re.fullmatch(r"(SP|GO|SC|MG|FN)-D?[0-9]+", one):
                raise Wrong(f"{name}: {one} is no id of a behaviour such as GO-07")
        names.add(name)
        # By its name, so that copies with other mutants do not change.
        mutant["number"] = zlib.crc32(name.encode()) >> 1 | 1
        numbers.add(mutant["number"])
    if len(numbers) < len(names):
        raise Wrong("two names have the same number; call one of them otherwise")
    return mutants


def place_of(mutant, text):
    """The position of the part between « and », or of the whole text to find."""
    find = mutant["find"]
    if find.count("«") != find.count("»") or find.count("«") > 1:
        raise Wrong(f"{mutant['name']}: one part of what is to be found is marked, or none")
    whole = find.replace("«", "").replace("»", "")
    if (count := text.count(whole)) != 1:
        raise Wrong(f"{mutant['name']}: stands {count} times in {mutant['file']}: {whole}")
    begin = text.index(whole)
    if "«" not in find:
        return begin, begin + len(whole)
    begin += find.index("«")
    return begin, begin + find.index("»") - find.index("«") - 1


def choice(mutant, original):
    chosen = f"::muster::mutants::chosen({mutant['number']})"
    if mutant.get("statement"):
        return f"if ({chosen}) {{ {mutant['with']} }} else {{ {original} }}"
    return f"({chosen} ? ({mutant['with']}) : ({original}))"


def mutated(file, mutants):
    text = (ROOT / file).read_text()
    places = sorted((place_of(mutant, text), mutant["number"]) for mutant in mutants)
    for (one, _), (other, number) in zip(places, places[1:]):
        if other[0] < one[1]:
            raise Wrong(f"{mutants_name(mutants, number)}: overlaps the mutant before it")
    by_number = {mutant["number"]: mutant for mutant in mutants}
    for (begin, end), number in reversed(places):
        original = text[begin:end]
        # So that the following lines keep their numbers.
        line = text.count("\n", 0, end) + 1
        rest = text.index("\n", end)
        text = (text[:begin] + choice(by_number[number], original) + text[end:rest] +
                f"\n#line {line + 1}" + text[rest:])
    return (f'#include "sim/mutants/chosen.hpp"\n#line 1 "{file}"\n' + text)


def mutants_name(mutants, number):
    return next(mutant["name"] for mutant in mutants if mutant["number"] == number)


def by_file(mutants):
    files = {}
    for mutant in mutants:
        files.setdefault(mutant["file"], []).append(mutant)
    return files


def as_text(value):
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_cpp(mutants):
    rows = [
        "    Mutant{" + ", ".join([str(mutant["number"]), as_text(mutant["name"]),
                                  as_text(mutant["file"]), as_text(mutant["why"]),
                                  str(mutant.get("nodes", 0)), str(mutant.get("seconds", 0)),
                                  as_text(mutant.get("faults", "")),
                                  str(mutant["hunted"]).lower()]) + "},\n"
        for mutant in mutants
    ]
    return ('#include <array>\n\n#include "sim/mutants/chosen.hpp"\n'
            '#include "sim/mutants/mutants.hpp"\n\nnamespace muster::sim {\n\n'
            f"std::span<const Mutant> mutants() {{\n    static constexpr std::array all{{\n"
            + "".join(rows) + "    };\n    return all;\n}\n\n"
            "void activate(const Mutant* mutant) {\n"
            "    ::muster::mutants::at_work = mutant == nullptr ? 0 : mutant->number;\n}\n\n"
            "}  // namespace muster::sim\n")


def check_definitions(text):
    """No build of the tests compiles this text, so a renamed function would be found late."""
    header = (ROOT / "sim/mutants/mutants.hpp").read_text()
    for declared in re.findall(r"^(?:\[\[nodiscard\]\] )?(\S.*\));$", header, re.MULTILINE):
        if declared + " {\n" not in text:
            raise Wrong(f"as_cpp() does not define '{declared}' of sim/mutants/mutants.hpp")


def write_if_new(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main(arguments):
    mutants = read_mutants()
    copies = {file: mutated(file, some) for file, some in by_file(mutants).items()}
    if arguments == ["--files"]:
        print("\n".join(copies))
    elif arguments == ["--lists"]:
        print("\n".join(str(path.relative_to(ROOT)) for path in lists()))
    elif len(arguments) == 2 and arguments[0] == "--write":
        for file, text in copies.items():
            write_if_new(pathlib.Path(arguments[1]) / file, text)
        write_if_new(pathlib.Path(arguments[1]) / "list.cpp", as_cpp(mutants))
    elif arguments == ["--check"]:
        check_definitions(as_cpp(mutants))
        print(f"{len(mutants)} mutants in {len(copies)} files")
    else:
        raise Wrong("it is --check, --files, --lists or --write DIR")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (Wrong, OSError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"mutate.py: {error}")
