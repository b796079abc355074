"""Broken in what the lab makes of a recording of a chip."""

from __future__ import annotations

from mutant import Mutant

INFO = "tests/lab/trace/test_recording.py"
START = "tests/lab/replay/test_snapshot_start.py"
REPORTED = "lab/native/lab/recording.c"

RECORDING = (
    Mutant(
        "recording: missing events",
        "what a lost chunk told is not counted when it is told again",
        "lab/native/trace/chip_records.c::lost_kind_read",
        "records->by_kind += kind < HS_LOST_LEFT_OUT ? more : 0;",
        "records->by_kind += 0;",
        INFO,
    ),
    Mutant(
        "recording: its end",
        "a recording that is cut inside a chunk has stopped",
        "lab/native/trace/chunk_reader.c::hs_chunk_reader_finish",
        "const bool cut = !at_border ||",
        "const bool cut = false &&",
        INFO,
    ),
    Mutant(
        "recording: segments",
        "a segment goes on over a loss",
        "lab/native/lab/segments.c::hs_segments_take",
        "&& figures.known && !hs_segments_ends_at(event)",
        "",
        START,
    ),
    Mutant(
        "recording: certainty of addresses",
        "nothing is said where blocks after a snapshot lie elsewhere",
        "lab/heapscope/simulation/result/verdict.py::_other_limits",
        "if summary.begun_blocks:",
        "if False:",
        START,
    ),
    Mutant(
        "recording: gap counts",
        "a gap has one event of each kind, whatever it tells",
        f"{REPORTED}::lost_take",
        "add(&recording->dropped[event->key].events, events);",
        "add(&recording->dropped[event->key].events, 1);",
        INFO,
    ),
    Mutant(
        "recording: pair counts",
        "a record of pairs counts as one allocation",
        f"{REPORTED}::take",
        "add(&sums->pairs, event->key);",
        "add(&sums->pairs, 1);",
        INFO,
    ),
    Mutant(
        "recording: snapshot state",
        "a block that a snapshot alone tells is not live",
        "lab/native/trace/state.c::settle",
        "} else if (!place->live) {",
        "} else if (place->live) {",
        START,
    ),
    Mutant(
        "recording: snapshot state",
        "a snapshot's blocks are placed as new ones",
        "lab/native/replay/prime.c::lay",
        "if (!replay->by_address ||",
        "if (replay->by_address ||",
        START,
    ),
    Mutant(
        "recording: boot identity",
        "chunks of another boot go on with the first one",
        "lab/native/trace/chunk_reader.c::boot_agrees",
        "if (reader->boot != boot) {",
        "if (reader->boot == UINT32_MAX) {",
        INFO,
    ),
    Mutant(
        "recording: boot identity",
        "metadata of another boot goes on with the first one",
        "lab/native/trace/chunk_reader.c::boot_agrees",
        "return kind_of(frame) != HS_CHUNK_METADATA ||",
        "return kind_of(frame) == HS_CHUNK_METADATA ||",
        INFO,
    ),
)
