"""The captured traces that experiments read. They are beside this file in an installed package, and
in workloads/captured in a source tree."""

from __future__ import annotations

from pathlib import Path

from heapscope.base.errors import InputError
from heapscope_studies.data_file import PACKAGE


def captured_trace(name: str) -> Path:
    """The trace NAME.hst.zst. InputError: this installation has none."""
    return captured_file(f"{name}.hst.zst")


def captured_file(name: str) -> Path:
    """A file that was captured with a trace. InputError: this installation has none."""
    for folder in (PACKAGE / "captured", PACKAGE.parent / "workloads" / "captured"):
        if (folder / name).is_file():
            return folder / name
    raise InputError(
        f"{name}: this installation of heapscope-studies lacks the captured file",
        remedy="install heapscope-studies again, or run from a clone: studies/workloads/captured",
    )
