"""Broken in what a device that is heard has live, lost, and room for."""

from __future__ import annotations

from mutant import Mutant

LIVE = "lab/heapscope/logs/live"
TESTS = "tests/lab/live"

PAGE = "lab/heapscope/render/page/assets"
HEARD = "tests/browser/test_device.py"

OF_LIVE = (
    Mutant(
        "recordings of a page that listens",
        "the second boot goes on in the recording of the first",
        f"{PAGE}/listening.js",
        "this.current = { number:",
        "this.current ??= { number:",
        HEARD,
    ),
    Mutant(
        "dates of a device that is heard",
        "lines that a device prints have none",
        f"{LIVE}/hearing.py::Hearing.moment",
        "or self._logged.courses()",
        "",
        f"{TESTS}/test_live_course.py",
    ),
    Mutant(
        "live blocks of a device",
        "blocks count as known after a loss",
        "lab/native/lab/heard.c::hs_lab_listener_figures",
        "out->live = figures.known ? figures.bytes : HS_LAB_NEVER;",
        "out->live = figures.bytes;",
        f"{TESTS}/test_live_state.py",
    ),
    Mutant(
        "losses of a device",
        "events that the recorder left out on purpose count as lost",
        "lab/native/lab/heard.c::hs_lab_listener_figures",
        "health.lost_events - out->left_out",
        "health.lost_events",
        f"{TESTS}/test_live_state.py",
    ),
    Mutant(
        "losses of a device",
        "more events were left out than are missing",
        "lab/native/listen/account.c::sums_make",
        "sums->left_out = least_of(account->left_out, missing);",
        "sums->left_out = account->left_out;",
        f"{TESTS}/test_live_state.py",
    ),
    Mutant(
        "live blocks of a device",
        "a heap of unknown contents begins empty",
        "lab/native/lab/listener.c::decide",
        "return unknown ? HS_OK : state_new(listener, true);",
        "return state_new(listener, true);",
        f"{TESTS}/test_live_state.py",
    ),
    Mutant(
        "a trace for each boot",
        "late chunks of the boot before begin a recording",
        "lab/native/lab/listener.c::is_late",
        "boot_of(chunk) == listener->before",
        "false",
        f"{TESTS}/test_live_stream.py",
    ),
    Mutant(
        "a trace for each boot",
        "the chunk that begins a recording is in neither file",
        "lab/native/lab/listener.c::another_begins",
        "keep(listener, &listener->pending, chunk, count);",
        "",
        f"{TESTS}/test_live_stream.py",
    ),
    Mutant(
        "would it still fit",
        "the room behind the last block is forgotten",
        "lab/native/listen/live_blocks.c::hs_live_blocks_room",
        "return span.limit > begin && span.limit - begin > most ? span.limit - begin : most;",
        "return most;",
        f"{TESTS}/test_live_state.py",
    ),
    Mutant(
        "would it still fit",
        "a need rings at every look",
        "lab/native/lab/watched.c::take",
        "answer.fits == NO && listener->last_fits[index] != NO",
        "answer.fits == NO",
        f"{TESTS}/test_live_state.py",
    ),
    Mutant(
        "would it still fit",
        "after a loss the replay goes on as if nothing was missing",
        "lab/native/lab/live_replay.c::hs_live_replay_by",
        "loss.event != HS_LAB_NEVER || health.chunks == 0",
        "health.chunks == 0",
        f"{TESTS}/test_live_state.py",
    ),
    Mutant(
        "who stands in the way",
        "the stretch is that with most live bytes",
        "lab/native/listen/live_blocks.c::stretch_of",
        "held < *least",
        "*least == UINT64_MAX || held > *least",
        f"{TESTS}/test_live_state.py",
    ),
    Mutant(
        "the order of what is told",
        "log lines come before what happened",
        f"{LIVE}/hearing.py::Hearing._went_on",
        "before = notice.text - self._text",
        "before = len(text)",
        f"{TESTS}/test_live_order.py",
    ),
    Mutant(
        "the order of what is told",
        "equal failures on both sides of a log line are one",
        "lab/native/listen/notices.c::alike",
        "last->text == notice->text &&",
        "",
        f"{TESTS}/test_live_order.py",
    ),
    Mutant(
        "who stands in the way",
        "why is asked on chunks in front of which others are missing",
        f"{LIVE}/latest_chunks.py::LatestChunks.since_snapshot",
        "self._snapshot and self._snapshot >= self._from",
        "True",
        f"{TESTS}/test_live_why.py",
    ),
    Mutant(
        "who stands in the way",
        "a recording that goes on counts as cut off",
        f"{LIVE}/hearing.py::Hearing._ask_why",
        "chunks + self._listener.end()",
        "chunks",
        f"{TESTS}/test_live_why.py",
    ),
    Mutant(
        "growth of a device's heap",
        "it is measured across a time in which nothing was known",
        "lab/native/listen/trend.c::grown_from",
        "!point->known || now->time",
        "now->time",
        "tests/native/test_trend.c",
    ),
    Mutant(
        "events of SystemView",
        "the second core's packets come after those of the first",
        "lab/heapscope/capture/systemview/heap_events.py::heap_events",
        "key=lambda packet: packet.time",
        "key=lambda packet: packet.core",
        "tests/lab/capture/test_import_systemview.py",
    ),
    Mutant(
        "events of SystemView",
        "packets that the device dropped are no loss",
        "lab/heapscope/capture/systemview/heap_events.py::heap_events",
        "if packet.id == OVERFLOW:",
        "if False:",
        "tests/lab/capture/test_import_systemview.py",
    ),
)
