"""Broken in the experiment on lwIP and its simulated link."""

from __future__ import annotations

from mutant import Mutant

WIFI = "studies/heapscope_studies/wifi_path"
LINK = "studies/workloads/wifi"
TEST = "tests/studies/test_wifi_path.py"
AGAIN = "tests/lab/workloads/test_wifi.py"

WIFI_PATH = (
    Mutant(
        "order of simulated throughput",
        "equal throughputs are in order",
        f"{WIFI}/throughput.py::in_order",
        "right += truth * (ours(a, metric) - ours(b, metric)) > 0",
        "right += truth * (ours(a, metric) - ours(b, metric)) >= 0",
        TEST,
    ),
    Mutant(
        "error of simulated throughput",
        "the ranks that are inputs count too",
        f"{WIFI}/throughput.py::opinion",
        "for r in ranks() if not link.is_input(r) for metric in metrics]",
        "for r in ranks() for metric in metrics]",
        TEST,
    ),
    Mutant(
        "heap by transfer",
        "a transfer's peak is that of all up to its end",
        f"{WIFI}/measured.py::read_heap",
        "int(live[first:last].max()) for name",
        "int(live[:last].max()) for name",
        TEST,
    ),
    Mutant(
        "heap of the generator",
        "what it has at the start counts",
        f"{WIFI}/measured.py::Heap.task_most",
        "max(one[task] for one in self.tasks.values()) - self.begun[task]",
        "max(one[task] for one in self.tasks.values())",
        TEST,
    ),
    Mutant(
        "form of the throughput model",
        "its segment is there without it",
        f"{WIFI}/distance.py::forms",
        "_, bare = _fit(size, mbit)",
        "_, bare = _fit(size + _SEGMENT_KB, mbit)",
        TEST,
    ),
    Mutant(
        "throughput of UDP that is sent",
        "the sender that asks for a buffer stands in its place",
        f"{WIFI}/measured.py::Link.mbit",
        "if metric == SENT else",
        "if not metric else",
        TEST,
    ),
    Mutant(
        "throughput with code in flash",
        "lwIP's code is as fast there",
        f"{WIFI}/measured.py::Link._slower",
        "return self.code[code].get(row.id) if code else None",
        "return None",
        TEST,
    ),
    Mutant(
        "throughput of UDP that is sent",
        "it sleeps one tick each time",
        f"{LINK}/wifi.c::send_out",
        "run->ticks < TICKS_MAX ? 2 : 1;",
        "run->ticks > TICKS_MAX ? 2 : 1;",
        AGAIN,
    ),
    Mutant(
        "throughput of the link",
        "an aggregate is one frame shorter than the window",
        f"{LINK}/radio.c::aggregate",
        "while (count < queue->count && count < window &&",
        "while (count < queue->count && count + 1 < window &&",
        AGAIN,
    ),
    Mutant(
        "throughput of the link",
        "the driver's work waits for lwIP's",
        f"{LINK}/driver.c::hs_driver_run",
        "jobs_t *jobs = urgent.first != NULL ? &urgent : &usual;",
        "jobs_t *jobs = usual.first != NULL ? &usual : &urgent;",
        AGAIN,
    ),
    Mutant(
        "heap of the link",
        "one transmit buffer fewer than the option has",
        f"{LINK}/driver.c::hs_driver_output",
        "if (used_transmit == hs_knobs.tx_buffers) {",
        "if (used_transmit + 1 == hs_knobs.tx_buffers) {",
        AGAIN,
    ),
)
