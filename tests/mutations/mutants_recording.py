"""Broken in what the lab makes of a recording of a chip."""

from __future__ import annotations

from mutant import Mutant

INFO = "tests/lab/trace/test_recording.py"
START = "tests/lab/replay/test_snapshot_start.py"
TOLD = "lab/native/lab/recording.c"

RECORDING = (
    Mutant(
        "recording: gap counts",
        "a gap has one event of each kind, whatever it tells",
        f"{TOLD}::lost_take",
        "add(&recording->dropped[event->key].events, event->new_key);",
        "add(&recording->dropped[event->key].events, 1);",
        INFO,
    ),
    Mutant(
        "recording: pair counts",
        "a record of pairs counts as one allocation",
        f"{TOLD}::take",
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
