"""The kinds of a text, by its lines."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.native.log import NativeLog
from heapscope.trace.sniff import MAP_HEAD, is_event, looks_like_boot, tool_of
from heapscope.trace.things.binary_kinds import core_kind
from heapscope.trace.things.kind import OTHER, UNKNOWN, KnownAs

_CONFIG = re.compile(rb"\s*CONFIG_\w+=.*|# CONFIG_\w+ is not set\s*")
_POOL = re.compile(rb"(?:\bcachpool\s.*|\btotal: +(?=.*, peak ))\d+ of +\d+ \(\d+%\) used")
_HEAP_TRACE = re.compile(rb"^.*\d+ bytes \(@ 0x[0-9a-f]+", re.MULTILINE)
_CORE = re.compile(rb"=+ CORE DUMP START =+")
_ZEPHYR_CORE = re.compile(rb"#CD:BEGIN#")
#: Times, levels and tags that programs put before what they print.
_PREFIX = re.compile(
    rb"(?:\x1b\[[\d;]*m)?(?:[IWEDV] \(\d+\) |\[?\d\d:\d\d:\d\d|\[?\d{4}-\d\d-\d\d|\[[IWEDVC]\]\["
    rb"|\[ *\d+[.\d]*\]|<(?:inf|wrn|err|dbg)>|\d+[.:]\d+[:>] )"
)
_COMMENT = (b"#", b";", b"//", b"*", b"/*")
#: Texts that are known and that no verb reads, what they are, and what to give in their place.
_OTHERS = tuple(
    (re.compile(pattern, re.MULTILINE), what, remedy, tuple(words))
    for pattern, what, remedy, *words in (
        (
            rb"\Adesc: .*\ncmd: |\Aheap profile: |\Aheap_v2/",
            "a heap profile of another tool (massif, gperftools, jemalloc)",
            "it has sums at some moments and not each call; record the program",
            *("record", "-o", "T.hst", "--", "./PROGRAM"),
        ),
        (
            rb"\A(?:==\d+== ?.*\n){3}",
            "a report of valgrind",
            "it has no calls of the heap; record the program",
            *("record", "-o", "T.hst", "--", "./PROGRAM"),
        ),
        (
            rb"\A(?::[0-9A-Fa-f]{10,600}\r?\n){2}|\AS0[0-9A-F]{6,600}\r?\nS[123]",
            "a firmware's image as hexadecimal text",
            "give the ELF that it was made from",
        ),
        (
            rb"^\s*#\s*include\s*[<\"]|^(?:from [\w.]+ )?import [\w., ]+$"
            rb"|^fn main\(|^def \w+\(.*:$",
            "the source of a program",
            "give its log, or record its run",
            *("record", "-o", "T.hst", "--", "./PROGRAM"),
        ),
        (
            rb"^#\s*(?:Automatically generated file; DO NOT EDIT\.?\s*\n#\s*)?"
            rb"(?:Zephyr|Linux|NuttX|U-Boot|Buildroot|Busybox)\b.*Configuration",
            "a configuration of another system than ESP-IDF",
            "its heap is answered from the log of the device, or from a trace",
        ),
        (
            rb"\A(?![\s\S]*^CONFIG_(?:IDF_|ESPTOOLPY_|LWIP_|FREERTOS_|PARTITION_TABLE_))"
            rb"[\s\S]*?^CONFIG_(?:(?:HEAP_MEM_POOL|(?:MAIN|ISR|IDLE|SYSTEM_WORKQUEUE)_STACK)_SIZE=\d"
            rb"|(?:NETWORKING|PRINTK|NEWLIB_LIBC|PICOLIBC|MINIMAL_LIBC|STACK_SENTINEL)=y\s*$)",
            "a prj.conf of Zephyr",
            "its heap is answered from the log of the device, or from a trace",
        ),
        (
            rb"^#define\s+CONFIG_[A-Z]\w*",
            "a C header of options (sdkconfig.h)",
            "give the project's sdkconfig, from which the build makes it",
        ),
        (
            rb"^\s*#\s*define\s+config[A-Z]\w+",
            "a FreeRTOSConfig.h",
            "its heap is answered from the log of the device, or from a trace with --pool and "
            "--allocator",
        ),
        (
            rb"^\s*#\s*define\s+(?:MEM|MEMP|PBUF|LWIP|TCP)_\w+",
            "options of lwIP (lwipopts.h)",
            "the heap is answered from the log of the device, or from a trace",
        ),
        (
            rb"^esphome:\s*$",
            "a configuration of ESPHome",
            "give the sdkconfig that its build wrote (.esphome/build/NAME/sdkconfig.NAME), or the "
            "log of the device",
        ),
        (
            rb"^\[(?:env(?::[^\]]*)?|platformio)\]",
            "a platformio.ini",
            "give the folder that it is in",
        ),
        (
            rb"^\s*(?:cmake_minimum_required|idf_component_register)\s*\(",
            "a file of CMake",
            "give the folder of the project",
        ),
        (
            rb"^\s*#\s*Name,\s*Type,\s*SubType,\s*Offset",
            "a partition table",
            "it says nothing of RAM; give the project's folder",
        ),
        (
            rb"^\s*(?:mainmenu|menuconfig|config|choice)\s+\"?[A-Z]\w*.*\n\s+(?:bool|int|hex|string"
            rb"|prompt|default)\b",
            "a Kconfig file",
            "give the folder of the project, or its sdkconfig",
        ),
        (
            rb"^\[\[region\]\]",
            "a layout file",
            "a trace is replayed on the memory that it describes",
            *("replay", "T.hst", "--layout", "THING"),
        ),
        (
            rb"^\[budget\]",
            "a file of budgets",
            "check holds traces, logs and configurations against it",
            *("check", "THING"),
        ),
    )
)
_SIZES = re.compile(
    rb"^\s*(?:Total sizes:|Used static [DI]RAM:|Total image size:|.*Memory Type Usage Summary"
    rb"|.*region `[^']+' overflowed by \d+ bytes)",
    re.MULTILINE,
)
_FACTS_SHARE = 20  # a text in which one line of so many is one of memory is a log
_BOTH = 3  # lines of a second kind that make a thing both


@dataclass(frozen=True, kw_only=True)
class _Lines:
    """How many lines of a text are of each kind; `all` has those that say something."""

    all: int
    config: int
    events: int
    pools: int
    facts: int
    prefixed: int
    boot: bool


def kinds_of_text(head: bytes) -> Iterator[KnownAs]:
    """The likeliest kind first; UNKNOWN, alone, where no line tells one."""
    tool = tool_of(head)
    if tool:
        yield KnownAs(kind=tool)
        return
    if head.startswith(b"#!"):
        yield KnownAs(kind="program", what="a script")
        return
    if MAP_HEAD.search(head):
        yield KnownAs(kind="map")
        return
    lines = _counted(head)
    result, others = tuple(_by_lines(head, lines)), tuple(_other(head))
    from_device = lines.boot or lines.prefixed * 2 > lines.all
    if others and not from_device and not (result and result[0].kind == "text"):
        yield others[0]
    else:
        yield from result or (KnownAs(kind=UNKNOWN, what="a text"),)


def facts_in(head: bytes) -> int:
    """Lines of a text that tell of memory."""
    return _counted(head).facts


def _by_lines(head: bytes, lines: _Lines) -> Iterator[KnownAs]:
    """The kind of most lines comes first; another one that some lines are of comes behind it."""
    sure = lines.boot or lines.prefixed * 2 > lines.all
    config, log = KnownAs(kind="sdkconfig"), KnownAs(kind="log", doubtful=not sure)
    logs = lines.facts + lines.boot
    if lines.config * 2 > lines.all:
        yield config
        if logs >= _BOTH and (lines.prefixed >= _BOTH or lines.boot):
            yield log
        return
    if lines.events * 2 > lines.all:
        yield KnownAs(kind="text")
        if lines.facts >= _BOTH and lines.prefixed >= _BOTH:
            yield log
        return
    is_log = lines.facts * _FACTS_SHARE >= max(lines.all, 1) and lines.facts
    if lines.pools:
        yield KnownAs(kind="pjsip")
    if is_log or sure:
        yield log
    elif lines.config >= _BOTH and lines.config * 10 > lines.all:
        yield config
    elif (core := _core(head)) is not None:
        yield core
        return
    else:
        return
    if lines.config >= _BOTH and lines.config * 2 <= lines.all and (is_log or lines.boot):
        yield config
    if lines.events >= _BOTH:
        yield KnownAs(kind="text", what="lines of allocations")
    if _HEAP_TRACE.search(head):
        yield KnownAs(kind="heap trace", what="a heap trace of ESP-IDF")
    core = _core(head)
    if core is not None:
        yield core


def _core(head: bytes) -> KnownAs | None:
    """A core dump that was printed: between its marks, or its lines alone."""
    if _CORE.search(head):
        return KnownAs(kind="core", what="a core dump in base64")
    if _ZEPHYR_CORE.search(head):
        return KnownAs(kind="core", what="a core dump of Zephyr in hexadecimal")
    lines = head[:400].split()[:4]
    try:
        first = b"".join(base64.b64decode(line, validate=True) for line in lines)
    except binascii.Error:
        return None
    return core_kind(first)


def other_text(head: bytes) -> KnownAs | None:
    """The kind of a text that no verb reads; None: another text."""
    for pattern, what, remedy, words in _OTHERS:
        if pattern.search(head):
            return KnownAs(kind=OTHER, what=what, remedy=remedy, words=words)
    return None


def _other(head: bytes) -> Iterator[KnownAs]:
    if _SIZES.search(head):
        yield KnownAs(kind="size", what="the sizes that a build printed")
    other = other_text(head)
    if other is not None:
        yield other


def _counted(head: bytes) -> _Lines:
    lines = [line.strip() for line in head.splitlines()]
    texts = [line for line in lines if line]
    config = sum(bool(_CONFIG.fullmatch(line)) for line in texts)
    with NativeLog() as log:
        facts = {fact.line for fact in log.push(head) if not fact.weak}
        facts |= {fact.line for fact in log.flush() if not fact.weak}
    configured = {n for n, line in enumerate(lines, 1) if _CONFIG.fullmatch(line)}
    return _Lines(
        all=sum(not line.startswith(_COMMENT) for line in texts)
        + sum(bool(_CONFIG.fullmatch(line)) for line in texts if line.startswith(b"#")),
        config=config,
        events=sum(is_event(line) for line in texts),
        pools=sum(bool(_POOL.search(line)) for line in texts),
        facts=len(facts - configured),
        prefixed=sum(bool(_PREFIX.match(line)) for line in texts),
        boot=looks_like_boot(head),
    )
