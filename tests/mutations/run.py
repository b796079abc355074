"""Breaks the code in one place at a time and sees that a test notices.

    .venv/bin/python tests/mutations/run.py [--changed-since REVISION] [WORD ...]

A test that cannot fail proves nothing: each figure that a user reads has here a place in the code
that is broken on purpose, and the test that then fails. All take some 20 minutes on two cores, so
this runs by hand; `make mutants-of-change` runs those of the files, or of the tests, that differ
from `main` (`BASE=` names another revision). The table that it prints is not kept.

A mutation names a file and a definition in it (a function, class, table, type or macro), and the
tokens that are replaced there. White space and comments do not matter, so code can be wrapped,
moved within its file and reformatted.

A WORD chooses mutations whose title has it; --changed-since those whose file or test changed since
a revision, in the working tree too. Works on a copy of the repository. A file's slow tests run only
where its quick ones notice nothing, and only if they pass in an unbroken copy. A mutation that no
test notices, whose test does not end, or whose place is no longer found, fails the run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from mutants import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
FOLDERS = ("cmake", "device", "lab", "emulation", "tests", "studies", "format", "docs", "benches")
SOURCES = ("lab/models/*.c", "lab/native/*/*.c", "lab/native/record/drain/*.c", "device/src/*/*.c")
FLAGS = (
    "-std=c11",
    "-O1",
    "-g",
    "-Idevice/include",
    "-Ilab/models",
    "-Ilab/native",
    "-Idevice/src",
)

#: The lab's library is built with it. The device's own tests are of what ships without it.
LAB = ("-DHS_ENDS=1",)

LONGEST = 600  #: seconds of one test
NOTICED = "noticed"
QUICK, SLOW = "not slow", "slow"  #: marks of pytest
NO_TEST = 5  #: pytest's exit code where no test has the mark

#: An editable installation finds its own source before PYTHONPATH is asked, so that a mutated copy
#: would not be what is imported. Python runs this file at its start, in processes of tests too.
WITHOUT_EDITABLE = """\
import sys

sys.meta_path = [one for one in sys.meta_path if "Redirecting" not in type(one).__name__]
"""


def copy_of_the_tree(folder: Path) -> Path:
    skip = shutil.ignore_patterns("__pycache__", "corpus", "*.so")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=skip)
    return folder


def mutate(tree: Path, mutant: Mutant) -> None:
    broken = mutant.broken(tree)
    (tree / mutant.file).write_text(broken, encoding="utf-8")


def compiler() -> list[str]:
    return os.environ.get("CC", "cc").split()


def sources(tree: Path) -> list[Path]:
    return [path for pattern in SOURCES for path in sorted(tree.glob(pattern))]


class Objects:
    """The sources of a tree, compiled; of an unbroken one all that a mutation leaves as it is."""

    def __init__(self, tree: Path, unbroken: Objects | None = None, changed: str = "") -> None:
        self.tree = tree
        self._unbroken = None if changed.endswith(".h") else unbroken
        self._changed = changed
        self._built: dict[tuple[str, tuple[str, ...]], Path] = {}

    def of(self, files: Iterable[Path], more: tuple[str, ...] = LAB) -> list[str]:
        """`more`: flags."""
        names = [str(file.relative_to(self.tree)) for file in files]
        return [str(self._object(name, more)) for name in names]

    def _object(self, name: str, more: tuple[str, ...]) -> Path:
        if self._unbroken is not None and name != self._changed:
            return self._unbroken._object(name, more)
        if (name, more) not in self._built:
            built = self.tree / (name.replace("/", "-") + "".join(more) + ".o")
            command = [*compiler(), *FLAGS, *more, "-fPIC", "-c", name, "-o", str(built)]
            subprocess.run(command, cwd=self.tree, check=True, capture_output=True)
            self._built[name, more] = built
        return self._built[name, more]


def c_test(objects: Objects, test: str) -> bool:
    """True when the test passes."""
    tree = objects.tree
    folder = (tree / test).parent
    support = [str(p) for p in folder.glob("*.c") if not p.name.startswith("test_")]
    files = sources(tree)
    more: tuple[str, ...] = LAB
    if test.startswith("tests/device/"):
        files, more = [file for file in files if "/device/src/" in str(file)], ()
    if folder.name == "esp_idf":  # other macros: none of the objects
        interface = tree / "device/compat/esp_idf"
        support += ["-DHS_KINDS_MAX=8", f"-I{interface / 'include'}"]
        support += sorted(map(str, interface.glob("src/*.c")))
        linked = [str(file) for file in files]
    else:
        linked = objects.of(files, more)
    program = str(tree / "mutated")
    command = [
        *compiler(),
        *FLAGS,
        *more,
        *linked,
        *support,
        str(tree / test),
        "-o",
        program,
        "-lm",
    ]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)
    return _passes([program], tree, dict(os.environ))


def python_test(objects: Objects, test: str, mark: str = QUICK) -> bool:
    """True when the tests with the mark pass, with the library built from the copy; or none is."""
    tree = objects.tree
    library = tree / "libheapscope_lab.so"
    command = [*compiler(), "-shared", *objects.of(sources(tree)), "-o", str(library)]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)
    declare = [sys.executable, "cmake/declare.py", "lab/native"]
    declare.append("lab/heapscope/native/declarations.py")
    subprocess.run(declare, cwd=tree, check=True, capture_output=True)
    if test.startswith("tests/record"):
        recorder(tree)
    if test.startswith("tests/studies"):
        player(tree)
    (tree / "lab/sitecustomize.py").write_text(WITHOUT_EDITABLE, encoding="utf-8")
    packages = os.pathsep.join(map(str, (tree / "lab", tree / "studies")))
    setting = os.environ | {"HEAPSCOPE_LIBRARY": str(library), "PYTHONPATH": packages}
    run = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", mark]
    return _passes([*run, "--import-mode=importlib", test], tree, setting, NO_TEST)


def recorder(tree: Path) -> None:
    """The objects that go into programs, and their sources, where they are beside the library."""
    shutil.copytree(tree / "lab/native/record", tree / "record", dirs_exist_ok=True)
    flags = (tree / "record/preload/flags.txt").read_text(encoding="utf-8").splitlines()
    built = [*compiler(), *(f for f in flags if f.startswith("-")), "-shared", "-nostdlib"]
    files = sorted(map(str, (tree / "record/preload").glob("*.c")))
    command = [*built, f"-I{tree / 'record/include'}", *files, "-o", "libheapscope_record.so"]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)
    late = [*built, "-DHS_REC_IS_ATTACHED=1", f"-I{tree / 'record/include'}", *files]
    command = [*late, "-o", "libheapscope_attach.so"]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)


def player(tree: Path) -> None:
    """The studies' native player, and its header, where their package looks for them."""
    package = tree / "studies/heapscope_studies"
    shutil.copy(tree / "studies/native/week.h", package)
    library = str(package / "libheapscope_studies.so")
    files = sorted(map(str, (tree / "studies/native").glob("*.c")))
    command = [*compiler(), *FLAGS, "-fPIC", "-shared", *files, "-o", library]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)


def _passes(command: list[str], tree: Path, setting: dict[str, str], *also: int) -> bool:
    done = subprocess.run(command, cwd=tree, env=setting, capture_output=True, timeout=LONGEST)
    return done.returncode in (0, *also)


class SlowTests:
    """The slow tests of files, for what their quick tests do not notice."""

    def __init__(self, unbroken: Objects) -> None:
        self._unbroken = unbroken
        self._lock = Lock()
        self._usable: dict[str, bool] = {}

    def notice(self, objects: Objects, test: str) -> bool:
        """Never true for tests that fail without a mutation, too."""
        if test.endswith(".c"):
            return False
        with self._lock:
            if test not in self._usable:
                self._usable[test] = python_test(self._unbroken, test, SLOW)
        return self._usable[test] and not python_test(objects, test, SLOW)


def outcome(mutant: Mutant, unbroken: Objects, slow: SlowTests) -> str:
    """ "noticed", "nobody" or "no end": a test that waits for ever has noticed nothing."""
    with tempfile.TemporaryDirectory() as folder:
        tree = copy_of_the_tree(Path(folder))
        mutate(tree, mutant)
        objects = Objects(tree, unbroken, mutant.file)
        test = c_test if mutant.test.endswith(".c") else python_test
        try:
            noticed = not test(objects, mutant.test) or slow.notice(objects, mutant.test)
            text = NOTICED if noticed else "nobody"
        except subprocess.TimeoutExpired:
            text = "no end"
    print(f"{text}: {mutant.title}", file=sys.stderr, flush=True)
    return text


def changed_since(revision: str) -> set[str]:
    """The files that differ from where this branch left the revision's, and new ones."""

    def git(*words: str) -> list[str]:
        done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    (left,) = git("merge-base", revision, "HEAD")
    changed = git("diff", "--name-only", left)
    return {*changed, *git("ls-files", "--others", "--exclude-standard")}


def chosen_mutants() -> list[Mutant]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--changed-since", metavar="REVISION")
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    chosen = [
        m for m in MUTANTS if not options.words or any(word in m.title for word in options.words)
    ]
    if options.changed_since is not None:
        changed = changed_since(options.changed_since)
        chosen = [m for m in chosen if {m.file, m.test} & changed]
        print(f"{len(chosen)} mutations of {len(changed)} changed files", file=sys.stderr)
    return chosen


def main() -> int:
    chosen = chosen_mutants()
    if not chosen:
        return 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        unbroken = Objects(copy_of_the_tree(Path(folder)))
        list(pool.map(lambda file: unbroken.of([file]), sources(unbroken.tree)))
        for test in sorted({mutant.test for mutant in chosen}):
            if not (c_test if test.endswith(".c") else python_test)(unbroken, test):
                raise SystemExit(f"not even without a mutation: {test}")
        slow = SlowTests(unbroken)
        outcomes = list(pool.map(lambda mutant: outcome(mutant, unbroken, slow), chosen))
    print("| figure | mutation | noticed by |\n| --- | --- | --- |")
    for mutant, result in zip(chosen, outcomes, strict=True):
        noticed = f"`{mutant.test}`" if result == NOTICED else f"**{result}**"
        print(f"| {mutant.figure} | {mutant.title} (`{mutant.file}`) | {noticed} |")
    return 0 if set(outcomes) == {NOTICED} else 1


if __name__ == "__main__":
    sys.exit(main())
