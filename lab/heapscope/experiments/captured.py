"""Captured traces that experiments read: shipped with the package; in a source tree they are those
of studies/workloads/captured."""

from __future__ import annotations

from pathlib import Path

from heapscope.errors import InputError
from heapscope.experiments.data_file import data_path

__all__ = ["captured_file", "captured_trace"]


def captured_trace(name: str) -> Path:
    """The trace NAME.hst.zst. InputError: this installation has none."""
    return captured_file(f"{name}.hst.zst")


def captured_file(name: str) -> Path:
    """A file that was captured with a trace. InputError: this installation has none."""
    shipped = data_path("captured", name)
    in_tree = data_path().parents[2] / "studies" / "workloads" / "captured" / name
    for path in (shipped, in_tree):
        if path.is_file():
            return path
    raise InputError(
        f"{name}: this installation of Heapscope lacks the captured file",
        remedy="install the package again or run from a clone: studies/workloads/captured",
    )
