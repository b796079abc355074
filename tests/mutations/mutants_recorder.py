"""Broken in the recorder on the chip, and in the ways into it."""

from __future__ import annotations

from mutant import Mutant

GLUE = "device/compat/recorder"
HOOK = "device/src/recorder/hook.c::put_here"
WAYS = "tests/device/test_recorder_glue.py"

RECORDER = (
    Mutant(
        "missing events that a lost chunk told",
        "a snapshot does not repeat what was reported as missing",
        "device/src/recorder/snapshot.c::regions_write",
        "hs_recorder_kinds_tell(recorder);",
        "(void)recorder;",
        "tests/format/test_second_decoder.py",
    ),
    Mutant(
        "records under interrupts",
        "a hook lets interrupts come while it writes",
        HOOK,
        "const uintptr_t before = HS_RECORDER_MASK();",
        "const uintptr_t before = 0;",
        "tests/device/test_recorder_interrupts.py",
    ),
    Mutant(
        "records of two cores",
        "a record may be seen before it is written",
        HOOK,
        "HS_RECORDER_STORE(&ring->head, head + 1u);",
        "ring->head = head + 1u;",
        "tests/device/test_recorder_cores.py",
    ),
    Mutant(
        "events of a way into the recorder",
        "calls within a library's realloc are recorded, too",
        f"{GLUE}/recorder_glue.c::hs_recorder_is_inside",
        "HS_RECORDER_LOAD(&inside) == 0",
        "true",
        WAYS,
    ),
    Mutant(
        "events of a way into the recorder",
        "what Zephyr tells of a resize in place is recorded, too",
        f"{GLUE}/recorder_zephyr.c::is_recorded",
        "resizing[HS_RECORDER_CORE()] != heap",
        "true",
        WAYS,
    ),
    Mutant(
        "live blocks of a snapshot on ESP-IDF",
        "the walk tells the allocator's blocks, not the program's",
        f"{GLUE}/recorder_esp_idf_walk.c::visit",
        "(uintptr_t)block.ptr + HEAD",
        "(uintptr_t)block.ptr",
        "tests/device/test_recorder_esp_idf.py",
    ),
    Mutant(
        "what arrives through a sink",
        "a chunk goes to USB serial JTAG whole",
        f"{GLUE}/sink_esp_idf.h::hs_recorder_usb_serial_jtag_write",
        "count - taken < PACKET ? count - taken : PACKET",
        "count - taken",
        "tests/device/test_recorder_esp_idf.py",
    ),
    Mutant(
        "what arrives through a sink",
        "a debugger's ring that is full is written over",
        f"{GLUE}/sink_rtt.h::hs_recorder_rtt_write",
        "next == read",
        "false",
        "tests/device/test_recorder_sinks.py",
    ),
)
