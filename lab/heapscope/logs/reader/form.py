"""The kind of a log: the form of the lines that tell most of the heap."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.logs.reader.reading import COLLECTED, LogReading

#: Figures that are more than a remark beside the list of regions.
_MANY = 3
#: The form of a log that tells of nothing but pools and stacks.
POOLS = "pools"


def form_of(reading: LogReading) -> str:
    """The name of the form; empty: nothing in the log tells of a heap."""
    return next(_forms(reading), "")


def _forms(reading: LogReading) -> Iterator[str]:
    """Those that tell more first."""
    yield from _summary(reading)
    if len(reading.tuples.regions) > 0:
        yield "mpy_tuples"
    report = reading.reports.last
    if report is not None:
        yield report.form
    if reading.dump is not None:
        yield "heap_dump"
    if reading.tasks.form:
        yield reading.tasks.form
    if reading.trace.line is not None:
        yield "sysview_text" if reading.trace.heads == 0 and not reading.trace.mode else "trace"
    yield from _systems(reading)
    boot = reading.boots.listed
    figures = reading.figures
    if boot is not None and boot.regions and not _tells_much(reading):
        yield "boot"
    if reading.core_dump is not None:
        yield "coredump"
    yield from _python(reading)
    if reading.allocations.count:
        yield _allocations(reading)
    if figures.last("wifi", "free") is not None:
        yield "wifi_nomem"
    yield from _figures(reading)
    if reading.systems.lvgl is not None:
        yield "lvgl"
    if boot is not None and boot.regions:
        yield "boot"
    yield from _failed(reading)
    if reading.boots.current.free_ranges or reading.boots.current.reserved_ranges:
        yield "memory_layout"
    if reading.corrupt:
        yield "corrupt"
    if reading.pools.listed():
        yield POOLS


def _summary(reading: LogReading) -> Iterator[str]:
    summary = reading.summaries.last
    if summary is None:
        return
    if summary.table:
        yield "markdown_table"
    elif summary.caps is None and summary.totals is None and summary.torn:
        yield "summary_torn"
    elif summary.totals is None and not any(region.whole for region in summary.regions):
        yield "summary_cut"
    else:
        yield "summary"


def _systems(reading: LogReading) -> Iterator[str]:
    systems = reading.systems
    if systems.nuttx is not None:
        yield "nuttx_free"
    if systems.nuttx_heap is not None:
        yield "nuttx_mm"
    if systems.zephyr is not None:
        yield "zephyr_heap"
    if systems.tasmota is not None:
        yield "tasmota_status4"
    if systems.ovms is not None:
        yield "ovms_memory"
    if systems.px4 is not None:
        yield "px4_dma"
    if systems.private is not None:
        yield systems.private.text


def _python(reading: LogReading) -> Iterator[str]:
    if reading.python.infos:
        yield "mpy_meminfo"
    if any(one.how == "python" for one in reading.failures.listed()):
        yield "mpy_memoryerror"


def _allocations(reading: LogReading) -> str:
    names = set(reading.allocations.by)
    if any(name.startswith("lv_mem") for name in names):
        return "lvgl_trace"
    if any(name.startswith("mm_") for name in names):
        return "nuttx_mm"
    return "alloc_lines" if names <= {"", "malloc", "calloc", "realloc"} else "sysview_text"


def _figures(reading: LogReading) -> Iterator[str]:
    if all(memory in ("wifi", COLLECTED) for memory in reading.figures.memories()):
        return
    hows = {one.how for one in reading.failures.listed()}
    who = {one.who for one in reading.failures.listed()}
    if who & {"mm_manage_alloc_fail"}:
        yield "tizen"
    if hows & {"callback", "abort"}:
        yield "failed_with_figures"
    framework = reading.boots.reported("framework")
    if framework == "NodeMCU":
        yield "nodemcu_heap"
    if reading.figures.sensor:
        yield "esphome_sensor"
    if framework == "ESPHome":
        yield "esphome_debug"
    yield "figures"


def _tells_much(reading: LogReading) -> bool:
    series = reading.figures.series.items()
    return any(
        memory != "wifi" and name == "free" and one.count >= _MANY for (memory, name), one in series
    )


def _failed(reading: LogReading) -> Iterator[str]:
    """Answers from the failure that says most of the request."""
    failures = reading.failures.listed()
    hows = [one.how for one in failures]
    error = reading.errors.first
    names = " ".join(one.who for one in failures)
    if "callback" in hows or "abort" in hows:
        yield "failed"
    if "assert" in hows:
        yield "tlsf_assert"
    if reading.corrupt:
        yield "corrupt"
    if "ESP8266 SDK" in hows:
        yield "esp8266_em"
    if "ESP8266" in hows:
        yield "esp8266_exception"
    if reading.errors.rust:
        yield "esphal"
    if error is not None and isinstance(error.code, str):
        yield "tls_error"
    if "tls" in hows:
        yield "tls_error"
    if hows and set(hows) <= {"task", "weak"}:
        yield "task_create"
    if any(how.startswith("wifi") or how == "Wi-Fi buffers" for how in hows) or "wifi" in names:
        yield "wifi_nomem"
    if "BT_INIT" in names or "BLE_INIT" in names:
        yield "bt_init"
    if "cam" in names:
        yield "camera"
    if "task" in hows:
        yield "task_create"
    if "error" in hows:
        yield "error"
    if any("lv_" in one.quote for one in failures):
        yield "lvgl"
    if failures:
        yield "failed"
