"""Traces that carry the addresses of the recording."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from heapscope.memory.layout.pool import pool_layout
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

ADDRESSES = 1  # HS_TRACE_ADDRESSES
MALLOC, FREE = 1, 5  # hs_event_kind_t
PLACE = 0x3FFC_1000

Record = Callable[..., ReplayResult]


@pytest.fixture
def recorded(tmp_path: Path) -> Record:
    """A block at PLACE, given back twice; recorded with this metadata, and replayed."""

    def make(**metadata: str) -> ReplayResult:
        events = np.zeros(3, dtype=event_dtype())
        events["kind"], events["key"] = [MALLOC, FREE, FREE], PLACE
        events["size"][0] = 100
        with NativeWriter(features=ADDRESSES) as writer:
            for key, value in metadata.items():
                writer.metadata(key, value)
            writer.events(events)
            writer.finish()
            (tmp_path / "T.hst").write_bytes(b"".join(writer.take()))
        return replay(tmp_path / "T.hst", pool_layout(4096, "idf-5.5"))

    return make


def test_addresses_of_an_allocator_without_a_model_limit_no_figure(recorded: Record) -> None:
    result = recorded(allocator="glibc")
    assert result.summary.address_matched < result.summary.address_compared
    assert result.trace.unmodelled == "glibc"
    assert not any("estimates" in sentence for sentence in result.verdict.sentences)
    assert ReplayResult.from_json(result.to_json()) == result


def test_addresses_of_a_modelled_allocator_that_are_not_met_do(recorded: Record) -> None:
    result = recorded(allocator="idf-5.5", poisoning="light")
    assert result.trace.unmodelled == ""
    assert any("estimates" in sentence for sentence in result.verdict.sentences)


def test_an_event_that_makes_no_sense_names_the_recorded_address(recorded: Record) -> None:
    assert [(row.event, row.key) for row in recorded().anomalies] == [(2, PLACE)]
