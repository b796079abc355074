"""The facts that a recorder on a chip tells of its own work: boots, cores, levels, losses, pairs,
snapshots."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.native.reader import NativeReader
from heapscope.native.structs import Struct
from heapscope.trace.health import TraceHealth
from heapscope.trace.metadata import number
from heapscope.trace.take import take

LEVELS = ("all", "pairs", "sampled", "failures")  # hs_recorder_level_t
REASONS = ("start", "command", "full", "empty")  # format/SPEC.md, "Levels"
KINDS = ("other", "malloc", "calloc", "aligned", "realloc", "free", "failed")

ENDINGS = ("ended", "stopped", "cut")


class MissingKind(Row):
    """Events of one kind that did not get into the recording, as the recorder told."""

    kind: str = figure("The call, or other.", choices=KINDS)
    events: int = figure("Events.")
    bytes: int = figure("Bytes that they asked for.", "B")


class LevelAt(Row):
    """A change of what is recorded."""

    event: int = figure("Heap events of the recording before it.")
    level: str = figure(
        "The level: all; pairs (an allocation that is freed soon is counted); sampled (one address "
        "in so many); failures (failed requests alone)."
    )
    reason: str = figure("The reason: start, command, full (the buffer), empty (again).")
    sampled: int = figure("At the level sampled: one address in so many is recorded.")
    least: int = figure("Bytes that an allocation has at least, to be recorded.", "B")
    most: int = figure("Bytes that it has at most; 0: no bound.", "B")
    task: int | None = figure("Index of the only task whose allocations are recorded; null: all.")
    capabilities: int = figure("Capabilities that such a request must have, as bits; 0: any.")


class ChipRecording(Row):
    """The facts that only a recorder on a chip tells."""

    boot: int | None = figure("Identity of the boot; null: not told.")
    other_boots: bool = figure("Another boot, or another recording, follows in the same file.")
    ending: str = figure(
        "How it ends: ended by its recorder; stopped between two chunks, as a listener does; cut "
        "off, or followed by another recording.",
        choices=ENDINGS,
    )
    cores: int = figure("One more than the highest core on which a task ran; 0: not told.")
    handlers: int = figure("How often a task was flagged as an interrupt handler.")
    levels: tuple[LevelAt, ...] = figure("Changes of what is recorded, the first 1024.")
    losses: int = figure("How often the recorder told of missing events.")
    missing: tuple[MissingKind, ...] = figure("The events that it told of, by kind.")
    left_out: int = figure("The events among these that a level or a filter left out.")
    pairs: int = figure("Allocations that were freed soon: counted, and not recorded.")
    pair_bytes: int = figure("Bytes of these allocations together.", "B")
    snapshots: int = figure("Whole snapshots of the live blocks.")
    void_snapshots: int = figure("Snapshots that tell nothing, as a part of them is missing.")
    corrections: int = figure("Blocks in which a snapshot and the events before it disagreed.")
    known: bool = figure("The live blocks are known at the end.")
    begins_with_snapshot: bool = figure(
        "The part that the lab uses begins with the first whole snapshot: the heap was not empty, "
        "or the beginning was not heard. Numbers of events count from there."
    )
    events_before: int = figure("Heap events in front of it, which are counted and no more.")
    start_blocks: int = figure("Blocks of that snapshot.")
    start_bytes: int = figure("Bytes of these blocks.", "B")


def recording_of(reader: NativeReader, health: TraceHealth) -> ChipRecording | None:
    """None: no recorder on a chip has written it."""
    row = reader.recording()
    if not row.of_chip:
        return None
    return take(
        ChipRecording,
        row,
        boot=number(reader.metadata(), "boot"),
        other_boots=health.next_trace is not None,
        ending="ended" if health.ended else "stopped" if health.stopped else "cut",
        levels=tuple(_level(level) for level in reader.levels()),
        missing=tuple(
            MissingKind(kind=kind, events=each.events, bytes=each.bytes)
            for kind, each in zip(KINDS, reader.dropped(), strict=True)
            if each.events
        ),
        void_snapshots=row.voids,
        begins_with_snapshot=bool(row.begun_late),
        events_before=row.before,
    )


def _level(row: Struct) -> LevelAt:
    return LevelAt(
        event=row.event,
        level=_named(LEVELS, row.level),
        reason=_named(REASONS, row.reason),
        sampled=1 << min(row.sampling, 31),
        least=row.least,
        most=row.most,
        task=row.task - 1 if row.task else None,
        capabilities=row.caps,
    )


def _named(names: tuple[str, ...], index: int) -> str:
    return names[index] if index < len(names) else f"unknown {index}"
