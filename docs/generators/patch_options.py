"""Makes data/options/patches.zst: what each release has otherwise than the one before it.

    python docs/generators/patch_options.py CLONE

CLONE is a git clone of espressif/esp-idf with the tags of the releases. The Kconfig files of each
tag are read by `heapscope.config.kconfig` for every chip that its minor has in data/options. Names
of options are kept, and nothing else; lab/heapscope/data/options/README.md says which.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from option_tables import dumped, write

from heapscope.config.kconfig.kconfig_file import KconfigReader
from heapscope.config.kconfig.own_options import with_files
from heapscope.config.kconfig.table import (
    RELEASES,
    ROOT,
    OptionTable,
    Pairs,
    Symbol,
    chips_of,
    option_table,
    release_for,
    release_text,
)
from heapscope.config.kconfig_tree import component_files, tree_environment
from heapscope.config.releases import finished, minor_of

_KCONFIG = re.compile(r"(?:^|/)Kconfig[^/]*$")
_NOT_BUILT = ("docs/", "examples/", "tools/")
_LISTED = "COMPONENT_KCONFIGS_SOURCE_FILE"  # since 4.1, Kconfig reads those that the build names


def main(clone: str) -> None:
    order = [*finished(), RELEASES[-1]]
    lines: dict[str, int] = {}
    values: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as name:
        trees = {release: Path(name) / release for release in order}
        for place, release in enumerate(order):
            _check_out(clone, f"v{release}", trees[release])
            before = _before(release, order[:place])
            for chip in _chips(before, release) if before else ():
                one = _table(trees[before], before, chip)
                other = _table(trees[release], release, chip)
                for option in lines_unlike(one, other):
                    lines[option] = lines.get(option, 0) | 1 << place
                for option in values_unlike(one, other):
                    values[option] = values.get(option, 0) | 1 << place
    data = {
        "releases": order,
        "lines": dict(sorted(lines.items())),
        "values": dict(sorted(values.items())),
    }
    write("patches.zst", dumped(data), release_text(ROOT))


def lines_unlike(one: OptionTable, other: OptionTable) -> set[str]:
    """Options of which a line may be taken by one of the two alone: kind, prompt, ranges or choice
    differ, or what selects it."""
    every = one.symbols.keys() | other.symbols.keys()
    matches = {
        name
        for name in every
        if _line_facts(one.symbols.get(name)) != _line_facts(other.symbols.get(name))
    }
    matches |= set(_targets(one.selected, other.selected))
    for name in one.choices.keys() | other.choices.keys():
        two = one.choices.get(name), other.choices.get(name)
        facts = [None if each is None else (each.members, each.prompt) for each in two]
        members = {member for each in two if each is not None for member in each.members}
        if facts[0] != facts[1] or members & matches:
            matches |= members
    return matches


def values_unlike(one: OptionTable, other: OptionTable) -> set[str]:
    """Options that may have another value without a line: defaults differ, or what selects or
    implies them."""
    matches = {
        name
        for name in one.symbols.keys() | other.symbols.keys()
        if _defaults(one.symbols.get(name)) != _defaults(other.symbols.get(name))
    }
    matches |= {*_targets(one.selected, other.selected), *_targets(one.implied, other.implied)}
    for name in one.choices.keys() | other.choices.keys():
        two = one.choices.get(name), other.choices.get(name)
        if two[0] != two[1]:
            matches.update(member for each in two if each is not None for member in each.members)
    return matches


def _line_facts(symbol: Symbol | None) -> object:
    return symbol and (symbol.kind, symbol.prompt, symbol.ranges, symbol.choice)


def _defaults(symbol: Symbol | None) -> Pairs:
    return symbol.defaults if symbol is not None else ()


def _targets(one: Mapping[str, Pairs], other: Mapping[str, Pairs]) -> Iterator[str]:
    for name in one.keys() | other.keys():
        if set(one.get(name, ())) != set(other.get(name, ())):
            yield name


def _before(release: str, earlier: list[str]) -> str:
    """The patch release before it, or the first release of the minor before; "": none."""
    if not earlier:
        return ""
    last = earlier[-1]
    if minor_of(last) == minor_of(release):
        return last
    return next(each for each in earlier if minor_of(each) == minor_of(last))


def _chips(one: str, other: str) -> list[str]:
    known = chips_of(release_for(one))
    return [chip for chip in chips_of(release_for(other)) if chip in known]


def _check_out(clone: str, tag: str, folder: Path) -> None:
    """The Kconfig files of a tag."""
    git = ["git", "-C", clone]
    listed = subprocess.run(
        [*git, "ls-tree", "-r", "--name-only", tag], capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if _KCONFIG.search(name) and not name.startswith(_NOT_BUILT):
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            shown = subprocess.run([*git, "show", f"{tag}:{name}"], capture_output=True, check=True)
            file.write_bytes(shown.stdout)


def _table(tree: Path, release: str, chip: str) -> OptionTable:
    blank = replace(
        option_table(release_for(release), chip), symbols={}, choices={}, elsewhere=frozenset()
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        reader = KconfigReader(
            tree_environment(tree, chip, folder), [tree, folder], new=release.startswith("6")
        )
        reader.read(tree / "Kconfig")
        if _LISTED not in (tree / "Kconfig").read_text(encoding="utf-8"):
            for kind in ("Kconfig.projbuild", "Kconfig"):
                for file in sorted(component_files(tree, kind)):
                    reader.read(file)
        return with_files(blank, reader)


if __name__ == "__main__":
    main(sys.argv[1])
