"""Captured calls, read once, and traces made of a few pool events."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from heapscope.answers.pools.groups import PoolGroup, find_groups
from heapscope.answers.pools.pool_trace import Kind, PoolTrace, read_pools
from heapscope.cli.app import app
from heapscope.native.events import Events, NativeWriter, event_dtype
from heapscope.native.reader import NameTable

ROOT = Path(__file__).resolve().parents[3]
CAPTURED = ROOT / "studies" / "workloads" / "captured"
RULE = "pjlib pool=80 block=20 align=4 sizes=256 512 1024"


def captured(name: str) -> Path:
    return CAPTURED / f"{name}.hst.zst"


@functools.cache
def call(name: str) -> tuple[PoolTrace, tuple[PoolGroup, ...]]:
    trace = read_pools(captured(name))
    return trace, find_groups(trace)


def rows(*reported: tuple[int, ...]) -> Events:
    """(kind, pool, bytes, increment)"""
    events = np.zeros(len(reported), event_dtype())
    for row, one in zip(events, reported, strict=True):
        kind, pool, size, increment = (*one, 0, 0)[:4]
        row["kind"], row["key"], row["size"], row["new_key"] = kind, pool, size, increment
    return events


def write(out: Path, events: Events, names: Sequence[str], *, rule: str = RULE) -> Path:
    with NativeWriter() as writer:
        if rule:
            writer.metadata("pools", rule)
        for index, name in enumerate(names):
            writer.name(NameTable.POOL, index, name.encode())
        writer.events(events)
        writer.finish()
        out.write_bytes(b"".join(writer.take()))
    return out


def run(*args: object) -> Any:
    done = CliRunner().invoke(app, list(map(str, args)), env={"COLUMNS": "120", "TERM": "dumb"})
    assert "Traceback" not in done.output
    return done


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A pool that grows twice, beside one that is released."""
    events = rows(
        (Kind.CREATE, 0, 256, 512),
        (Kind.ALLOC, 0, 100),
        (Kind.CREATE, 1, 512, 128),
        (Kind.GROW, 0, 512),
        (Kind.ALLOC, 0, 60),
        (Kind.GROW, 0, 1536),
        (Kind.ALLOC, 0, 1000),
        (Kind.RELEASE, 1),
        (Kind.ALLOC, 0, 50),
    )
    return write(tmp_path / "small.hst", events, ["one0x1234", "two"])
