"""The folder of a sweep's results: which plan they are of, and each batch once.

A batch is written to a temporary file that takes its name when it is complete. Its name is its
number in the plan, so a batch that is replayed again replaces itself and counts once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.whole_file import write_whole
from heapscope.fleet.sweep.claim import claimed, unwritable
from heapscope.fleet.sweep.columns import BATCH, batch_name
from heapscope.fleet.sweep.plan import SweepPlan, document_hash
from heapscope.trace.whole import RESULT_MAX, read_whole

FORM = 1  #: of sweep.json and of the folder's names
ABOUT = "sweep.json"
CELLS = "cells"
_REMEDY = "give the folder that `heapscope sweep PLAN.toml -o FOLDER` wrote"
_IN_A_FOLDER = 1000  # batches
_BATCH = re.compile(r"batch-([0-9]{10})\.parquet", re.ASCII)
_TEMPORARY = ".part"


@dataclass(frozen=True)
class Output:
    """A folder with a plan in it."""

    folder: Path
    plan: SweepPlan
    hash: str  # of the plan's document, as it was when the output was begun

    @property
    def shown(self) -> str:
        return printable(str(self.folder), limit=400)

    def done(self) -> set[int]:
        """The numbers of the batches whose results are here."""
        return {number for number, _ in self._files()}

    def files(self) -> list[str]:
        """The Parquet files, in the order of their batches."""
        return [str(path) for _, path in sorted(self._files())]

    def put(self, number: int, parquet: bytes) -> None:
        """Keeps a batch: all of it, or nothing. InputError: the disk is full, or cannot be
        written."""
        folder = self.folder / CELLS / f"part={number // _IN_A_FOLDER:07d}"
        path = folder / f"batch-{number:010d}.parquet"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, parquet)
        except OSError as error:
            raise unwritable(path, error) from None

    def tidy(self) -> None:
        """Removes what a killed writer left behind."""
        for left in (self.folder / CELLS).glob(f"part=*/*{_TEMPORARY}"):
            left.unlink(missing_ok=True)

    def check_own(self) -> None:
        """InputError names the first file that is not what its name says: one of another sweep, or
        a copy of another batch."""
        import pyarrow.parquet

        for number, path in sorted(self._files()):
            try:
                stated = (pyarrow.parquet.read_metadata(path).metadata or {}).get(BATCH)
            except (OSError, pyarrow.ArrowException):
                continue  # damaged: who reads its cells says so
            if stated != batch_name(self.hash, number):
                raise InputError(
                    f"{printable(str(path), limit=400)}: holds another batch than its name says, "
                    "or one of another sweep",
                    remedy="remove it and run the same sweep again: it replays that batch alone",
                )

    def _files(self) -> Iterator[tuple[int, Path]]:
        for path in (self.folder / CELLS).glob("part=*/*.parquet"):
            match = _BATCH.fullmatch(path.name)
            if match is not None:
                yield int(match[1]), path


@contextmanager
def opened(folder: Path, plan: SweepPlan) -> Iterator[Output]:
    """The output for results of the plan, made if missing, and nobody else's meanwhile.
    InputError: it has results of another plan, another client writes there, or it is something
    else."""
    output = Output(folder, plan, plan.hash)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = [one.name for one in folder.iterdir() if not one.name.startswith(".")]
    except OSError as error:
        raise unwritable(folder, error) from None
    if others and not (folder / ABOUT).exists():
        raise InputError(
            f"{output.shown}: has files of something else in it, such as "
            f"{printable(sorted(others)[0])}",
            remedy="give -o a folder of its own, which need not exist",
        )
    with claimed(folder):
        if (folder / ABOUT).exists():
            _check_same(output, _read(folder))
        else:
            document = {"heapscope_sweep_output": FORM, "plan": plan.to_json()}
            try:
                write_whole(folder / ABOUT, json.dumps(document, indent=1).encode() + b"\n")
            except OSError as error:
                raise unwritable(folder / ABOUT, error) from None
        output.tidy()
        output.check_own()
        yield output


def read_output(folder: str | Path) -> Output:
    """An output as it stands, while a sweep runs or after it. InputError: not a result of a
    sweep."""
    path = Path(folder)
    document = _read(path)
    try:
        plan = SweepPlan.from_json(document)
        again = json.loads(json.dumps(plan.to_json()))
        whole = all(again[key] == document[key] for key in _PARTS if key != "batch_events")
    except (InputError, LookupError, TypeError, ValueError, AttributeError):
        whole = False
    if not whole:
        raise _damaged(path)
    return Output(path, plan, document_hash(document))


def _read(folder: Path) -> dict[str, Any]:
    """The document of the plan."""
    shown = printable(str(folder / ABOUT), limit=400)
    try:
        (folder / ABOUT).stat()
    except OSError as error:
        raise InputError(
            f"{printable(str(folder), limit=400)}: not the output of a sweep: {ABOUT}: "
            f"{error.strerror or type(error).__name__}",
            remedy=_REMEDY,
        ) from None
    whole = read_whole(folder / ABOUT, limit=RESULT_MAX, what="a plan of a sweep", remedy=_REMEDY)
    try:
        document = json.loads(whole.data)
        form, plan = document["heapscope_sweep_output"], document["plan"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _damaged(folder) from None
    if form != FORM:
        raise InputError(
            f"{shown}: its form is {printable(str(form))}, and this Heapscope reads {FORM}",
            remedy="use the version that wrote it, or sweep into another folder",
        )
    if not isinstance(plan, dict):
        raise _damaged(folder)
    result: dict[str, Any] = plan
    return result


def _damaged(folder: Path) -> InputError:
    return InputError(
        f"{printable(str(folder / ABOUT), limit=400)}: is damaged",
        remedy="sweep into another folder",
    )


_PARTS = {
    "traces": "traces",
    "grids": "grids",
    "need": "needs",
    "jitter": "perturbed runs",
    "files": "files that options name",
    "prices": "prices",
    "batch_events": "sizes of batches",
}


def _check_same(output: Output, theirs: dict[str, Any]) -> None:
    ours = json.loads(json.dumps(output.plan.to_json()))
    if theirs == ours:
        return
    if not isinstance(theirs.get("heapscope"), str):
        raise _damaged(output.folder)
    if theirs["heapscope"] != ours["heapscope"]:
        raise InputError(
            f"{output.shown}: was begun by Heapscope {printable(theirs['heapscope'])}, "
            f"and this one is {ours['heapscope']}, whose figures may differ",
            remedy="give -o another folder, or go on with that version",
        )
    differing = [text for key, text in _PARTS.items() if theirs.get(key) != ours[key]]
    raise InputError(
        f"{output.shown}: has results of another plan; {' and '.join(differing)} differ",
        remedy="give -o another folder, or go on with the plan as it was",
    )
