"""Named pools, stacks and the heaps of other systems: each printed form in its versions, with
figures drawn by the seed, and lines that tell of none."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.answer.pool_rows import LogPoolRow

Drawn = dict[str, int]

#: name: lines with drawn figures, the pool's name, and its columns by the names of the figures.
FORMS: dict[str, tuple[str, str, dict[str, str]]] = {
    "lwIP": (
        "MEM UDP_PCB\n\tavail: {total}\n\tused: {used}\n\tmax: {peak}\n\terr: {fails}\n",
        "UDP_PCB",
        {"size": "total", "used": "used", "free": "free", "peak": "peak", "failures": "fails"},
    ),
    "Zephyr's net mem": (
        "Network buffer pools:\nAddress\t\tTotal\tAvail\tName\n"
        "0x20000010\t{total}\t{free}\tTX DATA (tx_bufs)\n",
        "TX DATA (tx_bufs)",
        {"size": "total", "free": "free"},
    ),
    "Zephyr's net mem with a maximum": (
        "Network buffer pools:\nAddress\t\tTotal\tAvail\tMaxUsed\tName\n"
        "0x20000010\t{total}\t{free}\t{peak}\tRX DATA (rx_bufs)\n",
        "RX DATA (rx_bufs)",
        {"size": "total", "free": "free", "peak": "peak"},
    ),
    "Zephyr's second heap": (
        "Matter heap statistics:\nfree:   {free}\nallocated:  {used}\nmax. allocated: {peak}\n",
        "Matter heap",
        {"free": "free", "used": "used", "peak": "peak"},
    ),
    "Zephyr's slab": (
        "encode_slab: free: {free}, allocated: {used}, max. allocated: {peak}\n",
        "encode_slab",
        {"free": "free", "used": "used", "peak": "peak"},
    ),
    "thread analyzer": (
        " sensor poll         : STACK: unused {free} usage {used} / {total} (1 %); CPU: 0 %\n",
        "sensor poll",
        {"size": "total", "used": "used", "free": "free"},
    ),
    "kernel stacks": (
        "0x20001a10 logging    (real size {total}):\tunused {free}\tusage {used} / {total} (1 %)\n",
        "logging",
        {"size": "total", "used": "used", "free": "free"},
    ),
    "FreeRTOS": (
        "Task Name\tState\tPrio\tStack\tNum\nnet rx    \tB\t5\t{free}\t12\n",
        "net rx",
        {"free": "free"},
    ),
    "OpenThread": (
        "> bufferinfo\ntotal: {total}\nfree: {free}\nmax-used: {peak}\n",
        "message buffers",
        {"size": "total", "free": "free", "peak": "peak"},
    ),
    "XS": (
        "# Chunk allocation: reserved {total} used {used} peak {peak} bytes\n",
        "chunk",
        {"size": "total", "used": "used", "peak": "peak"},
    ),
    "XS's instruments": (
        "instruments key: Timers,Slot used,Slot available,Modules loaded\n"
        "hello\ninstruments: 3,{used},{total},9\n",
        "slot",
        {"size": "total", "used": "used", "free": "free"},
    ),
    "PJLIB": (
        "19:04:05.499       cachpool       natck0x8233c80:     {used} of     {total} (9%) used\n",
        "natck0x8233c80",
        {"size": "total", "used": "used", "free": "free"},
    ),
    "the device library": (
        "           ice00:     {used} of     {total} (9%) used\n"
        "           total:     {used} of     {total} (9%) used, peak {peak}\n",
        "ice00",
        {"size": "total", "used": "used"},
    ),
    "esp-alloc's region": (
        "External | ████░░░ | Used: 9% (Used {used} of {total}, free: {free})\n",
        "External",
        {"size": "total", "used": "used", "free": "free"},
    ),
    "a linker's region": (
        "Memory region         Used Size  Region Size  %age Used\n"
        "         RAM:      {used} B   {total} B     77.84%\n",
        "RAM",
        {"size": "total", "used": "used", "free": "free"},
    ),
    "NetX in words": (
        "Packet pool: total {total}, available {free}, empty requests {fails}\n",
        "Packet pool",
        {"size": "total", "free": "free", "failures": "fails"},
    ),
    "NetX under a head": (
        "===== RX packet pool =====\nTotal packets  : {total}\nAvailable : {free}\n"
        "Pool size (B)  : 99999\nEmpty requests : {fails}\n",
        "RX packet pool",
        {"size": "total", "free": "free", "failures": "fails"},
    ),
    "a share": (
        "mempool msys: {used}/{total} blocks used\n",
        "mempool msys",
        {"size": "total", "used": "used"},
    ),
    "a table": (
        "                 name blksz  cnt free  min\n        acl_pool  20 {total} {free} {least}\n",
        "acl_pool",
        {"size": "total", "free": "free", "least": "least"},
    ),
    "LVGL": (
        "used: {used} (  9 %), frag:   3 %, biggest free: {free}\n",
        "LVGL",
        {"used": "used", "largest": "free"},
    ),
    "MicroPython's stack": (
        "stack: {used} out of {total}\n",
        "Python",
        {"size": "total", "used": "used"},
    ),
}


def drawn(random_: random.Random) -> Drawn:
    total = random_.randrange(2000, 60000)
    peak = random_.randrange(1000, total)
    used = random_.randrange(500, peak + 1)
    return {
        "total": total,
        "peak": peak,
        "used": used,
        "free": total - used,
        "least": total - peak,
        "fails": random_.randrange(1, 50),
    }


Logged = Callable[[str], LogResult]


@pytest.fixture
def logged(tmp_path: Path) -> Logged:
    def of(text: str, **options: object) -> LogResult:
        path = tmp_path / "device.log"
        path.write_text(text, encoding="utf-8")
        return hs.log(path, **options)  # type: ignore[arg-type]

    return of


def rows(result: LogResult) -> dict[str, LogPoolRow]:
    return {row.name: row for row in result.pools}


@pytest.mark.parametrize("name", FORMS)
def test_a_pool_of_this_form_is_in_the_table_and_never_the_heap(
    name: str, logged: Logged, seed: int
) -> None:
    text, pool, columns = FORMS[name]
    random_ = random.Random(f"{seed} {name}")
    for _ in range(3):
        figures = drawn(random_)
        noise = "I (100) app: hello\n" if random_.random() < 0.5 else ""
        result = logged(noise + text.format(**figures) + noise)
        row = rows(result)[pool]
        wanted = {column: figures[figure] for column, figure in columns.items()}
        assert {column: getattr(row, column) for column in wanted} == wanted
        assert result.answer.free is None


@pytest.mark.parametrize("name", FORMS)
def test_pools_leave_what_the_heap_has_as_it_is(name: str, logged: Logged, seed: int) -> None:
    text = FORMS[name][0].format(**drawn(random.Random(seed)))
    result = logged(f"Free heap: 54321\n{text}Free heap: 43210\n")
    assert (result.answer.free, result.answer.series_free) == (43210, (54321, 43210))


HEAPS = {
    "esp-alloc": (
        "INFO - HEAP INFO\nSize: {total}\nCurrent usage: {used}\nMax usage: {peak}\n"
        "Total freed: 7\nTotal allocated: 99999\nMemory Layout: \n",
        "free used total peak",
    ),
    "esp-alloc, short": (
        "HEAP INFO\nSize: {total}\nCurrent usage: {used}\nMemory Layout: \n", "free used total"
    ),
    "Zephyr's shell": (
        "uart:~$ kernel heap\nfree:  {free}\nallocated:  {used}\nmax. allocated: {peak}\n",
        "free used peak",
    ),
    "Zephyr under a head": (
        "[00:00:01.000,000] <inf> app: kernel heap statistics:\n"
        "[00:00:01.000,000] <inf> app: free:  {free}\n", ""
    ),
    "sys_heap": (
        "{free} free bytes, {used} allocated bytes, overhead = 40 bytes (1.0%)\n", "free used"
    ),
    "Espruino": (
        "={{ free: {free}, usage: {used}, total: {total}, history: 16,\n"
        "  gc: 0, blocksize: 1, a: 2 }}\n",
        "free used total",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HEAPS)
def test_the_heap_of_a_system_is_the_state(name: str, logged: Logged, seed: int) -> None:
    text, names = HEAPS[name]
    figures = drawn(random.Random(f"{seed} {name}"))
    answer = logged(text.format(**figures)).answer
    assert {key: getattr(answer, key) for key in names.split()} == {
        key: figures[key] for key in names.split()
    }


def test_variables_of_espruino_are_bytes(logged: Logged) -> None:
    text = (
        "={ free: 21, usage: 979, total: 1000, history: 3,\n  gctime: 0.4, blocksize: 12, x: 1 }\n"
    )
    result = logged(text)
    assert (result.answer.free, result.answer.total) == (252, 12000)
    assert rows(result)["variables"].unit == "variables"


REFUSED = {
    "bump": ("Out of bump memory: requested 9000 bytes, 500 of 24000 available\n", "bump memory",
             9000, 500),
    "XS": ("!!! xs: failed to allocate 96 bytes for chunk !!!\nChunk allocation: failed for 96 "
           "bytes\n", "chunk", 96, None),
    "LVGL": ("lv_draw_buf_create_ex: No memory: 9x9, cf: 16, stride: 18, 94400Byte\n", "LVGL",
             94400, None),
    "ThreadX": ("tx_byte_allocate failed: 0x10 size: 877, available: 1988, fragments: 203\n",
                "byte pool", 877, 1988),
    "NetX": ("nx_packet_allocate: no packet, available: 0\n", "packet pool", None, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_request_is_one_of_its_pool(name: str, logged: Logged) -> None:
    text, pool, asked, left = REFUSED[name]
    result = logged(text)
    row = rows(result)[pool]
    assert (row.failures, row.refused, row.free) == (1, asked, left)
    assert [(one.size, one.count) for one in result.answer.failed] == [(asked, 1)]
    assert not any("heap_caps_" in step for step in result.steps)


def test_the_heap_is_not_said_to_serve_what_a_pool_refused(logged: Logged) -> None:
    heap = "Free heap: 2000000, largest free block: 1900000\n"
    result = logged(heap + REFUSED["LVGL"][0], need=[94400])  # type: ignore[call-arg]
    assert result.answer.fits is None
    assert "it is of LVGL's own pool" in result.verdict[0]
    assert "it is not the system's heap" in result.verdict[1]


def test_the_first_sentence_names_a_pool_that_is_empty(logged: Logged) -> None:
    result = logged("E (170976) chip[CSL]: PacketBuffer: pool EMPTY.\n")
    assert result.verdict[0].startswith("The pool PacketBuffer of Matter refused 1 request")
    assert result.steps[0].startswith("raise CHIP_SYSTEM_CONFIG_PACKETBUFFER_POOL_SIZE")


def test_dumps_of_different_moments_are_not_summed(logged: Logged) -> None:
    dump = "19:04:{at}.000  cachpool  icetp00:  {used} of  4000 (9%) used\n" * 2
    result = logged("".join(dump.format(at=at, used=used) for at, used in ((10, 300), (25, 700))))
    assert [(row.pools, row.used, row.size) for row in result.pool_dumps] == [
        (2, 600, 8000),
        (2, 1400, 8000),
    ]
    assert result.verdict[0].startswith(
        "The last of 2 dumps of pools has 2 pools, 1,400 B of 8,000"
    )
    assert "grew by 800 B, from 600 B to 1,400 B: icetp00 +800 B." in result.verdict[1]
    assert "comes back is unknown" in result.verdict[2]


def test_the_first_of_many_dumps_is_kept_for_the_growth(logged: Logged) -> None:
    dump = "cachpool  stun0x{at:x}:  {used} of  9000 (9%) used\n\n\n\n\n\n\n"
    result = logged("".join(dump.format(at=at, used=10 * at) for at in range(1, 101)))
    assert len(result.pool_dumps) == 64
    assert "(line 1) to the last (line 694)" in result.verdict[1]
    assert "grew by 990 B, from 10 B to 1,000 B: stun +990 B." in result.verdict[1]
    assert "nothing came back so far" in result.verdict[2]


@pytest.mark.parametrize(("last", "falls"), [(4, True), (12, False)])
def test_a_pool_that_only_falls_is_named(logged: Logged, last: int, falls: bool) -> None:
    line = "MEM UDP_PCB\n\tavail: 24\n\tused: {used}\n\tmax: 24\n\terr: 0\n"
    text = "".join(line.format(used=24 - free) for free in (20, 11, 7, last))
    sentences = " ".join(logged(text).verdict)
    assert ("did not come back so far" in sentences) == falls


def test_the_peak_of_each_task_and_the_least_of_each_memory_are_read(logged: Logged) -> None:
    result = logged(
        "||  Task         |  Peak DRAM  |   Peak IRAM ||\n"
        "||  net rx       |   6312      |  77  ||\n"
        "||   Minimum Free DRAM |   Minimum Free IRAM ||\n||       152976    |    40276    ||\n"
    )
    assert [(row.name, row.peak, row.other) for row in result.tasks] == [("net rx", 6312, 77)]
    assert {(row.memory, row.name): row.last for row in result.figures} == {
        ("dram", "min"): 152976,
        ("iram", "min"): 40276,
    }


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("memory allocation of 1728 bytes failed\n", "esp_alloc"),
        (
            "*** Booting Zephyr OS build v4.3.0 ***\n<err> drv: memory allocation failed\n",
            "CONFIG_",
        ),
        ("XS abort: memory full\n", "manifest"),
        ("tx_byte_allocate failed size: 10 available: 2\n", "tx_byte_pool"),
        ("pvPortMalloc: allocation of 512 bytes failed\n", "configTOTAL_HEAP_SIZE"),
    ],
)
def test_advice_is_in_the_terms_of_the_system(text: str, word: str, logged: Logged) -> None:
    steps = " ".join(logged(text).steps)
    assert word in steps
    assert "heap_caps_" not in steps


ORDINARY = """\
Adding pool of 4096K of PSRAM memory to heap allocator
HikariPool-1 - Pool stats (total=10, active=3, idle=7, waiting=0)
ThreadPool: 4 of 8 workers used
pool temperature: 25 of 30 degrees
carpool: 3 free seats of 4
Name  Size  Modified
report.txt 100 2024
Filesystem Size Used Avail Mounted on
/dev/sda1 100 50 50 /
MEM usage is fine
kernel heap is a chapter of the book
the swimming pool has 12 lanes, 3 free
Task State
free: as in beer
int avail = 5; // used: 3
step 12 of 40 (30%) done
downloaded 3 of 9 (33%) used cache
"""


def _ordinary(random_: random.Random) -> Iterator[str]:
    words = ("build", "free", "of", "used", "total", "max", "pool", "alloc", "stack", "task", "mem")
    for _ in range(2000):
        yield " ".join(random_.choices(words, k=random_.randrange(1, 9)))


def test_ordinary_lines_tell_of_no_pool(logged: Logged, seed: int) -> None:
    for text in (ORDINARY, "\n".join(_ordinary(random.Random(seed)))):
        result = logged(text)
        assert result.pools == ()
        assert result.answer.free is None
