"""How the program ended or was troubled, by rank: damage of the heap, a stack that overflowed, a
brown-out, a watchdog, another panic, a build that did not fit. Each sentence says where to look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.base.printable import printable
from heapscope.base.wording import size
from heapscope.logs.answer.answer import FailedRow, LogAnswer
from heapscope.logs.answer.stack_depth import depth_sentence
from heapscope.logs.answer.stack_options import stack_option
from heapscope.logs.reader.addresses import Addresses
from heapscope.logs.reader.found_word import is_data, is_freed, meaning, near
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.stops import Panic
from heapscope.native.log import Fact

#: Files of allocators, and functions of theirs that a symbol names without a file.
_FILES = (
    "multi_heap.c", "multi_heap_poisoning.c", "tlsf.c", "heap_tlsf.c", "tlsf_control_functions.h",
    "tlsf_block_functions.h", "heap_tlsf_block_functions.h", "umm_malloc.c", "umm_malloc.cpp",
    "heap_4.c", "heap_5.c", "mallocr.c", "nano-mallocr.c", "mm_malloc.c", "mm_free.c",
)  # fmt: skip
_FUNCTIONS = (
    "multi_heap_", "tlsf_", "block_", "remove_free_block", "insert_free_block",
    "search_suitable_block", "poison_allocated_region", "verify_allocated_region",
    "verify_fill_pattern", "umm_", "sys_heap_", "_malloc_r", "_free_r", "control_construct",
    "get_next_block", "merge_adjacent", "pvPortMalloc", "vPortFree",
)  # fmt: skip
_FREES = {
    "free", "cfree", "realloc", "_free_r", "vPortFree", "heap_caps_free", "multi_heap_free",
    "multi_heap_free_impl", "tlsf_free", "umm_free", "k_free", "sys_heap_free",
}  # fmt: skip

_KINDS = {
    "tail": "something wrote behind the end of a block",
    "head": "something wrote before the start of a block",
    "invalid_data": "something wrote to a block after it was freed",
    "metadata": "the allocator's own words are damaged",
    "tlsf_assert": "an assertion of the allocator failed",
    "other": "the allocator found damage",
}
_BAD_ADDRESS = "free() got an address that no heap gave out, or no longer"


def damage(reading: LogReading, answer: LogAnswer, names: Addresses) -> Iterator[str]:
    """Lines that say so, or a panic within the allocator."""
    if answer.corrupt is not None:
        yield _damage(reading, answer, reading.corrupt[0])
    panic = next((one for one in reading.stops.panics if _culprit(one, names)), None)
    if panic is not None and answer.corrupt is None:
        yield _within(panic, _culprit(panic, names))


def _damage(reading: LogReading, answer: LogAnswer, first: Fact) -> str:
    corrupt = answer.corrupt
    assert corrupt is not None
    task = _crashed(reading)
    if answer.form == "tlsf_assert":
        return (
            f"An assertion of the allocator failed ({corrupt.where}, line {first.line:,}): a "
            "request was too large for ESP-IDF 4.4.0 or 4.4.1, or the heap is overwritten."
            f"{task}"
        )
    where = f" at {first.address:#010x}" if first.address is not None else ""
    by = f" ({printable(corrupt.where)})" if corrupt.where else ""
    what = _KINDS.get(corrupt.kind, corrupt.kind)
    if first.total is not None:
        what = _by_word(corrupt.kind, first.total, first.size) or what
    elif corrupt.kind == "tlsf_assert":
        what = _by_assertion(first) or what
    return f"The heap is overwritten{where}: {what}{by}, line {first.line:,}.{task}"


def _by_word(kind: str, word: int, expected: int | None) -> str:
    """The meaning of the word that was found."""
    if kind == "head" and is_data(word):
        return (
            f"the block was freed already: it is freed twice, or used after that ({word:#010x}, "
            "which stands where its head was, is a pointer, as the allocator keeps in free blocks)"
        )
    text = meaning(word, expected)
    also = f"; {word:#010x} stands there: {text}" if text else f"; {word:#010x} stands there"
    return f"{_KINDS[kind]}{also}"


def _by_assertion(first: Fact) -> str:
    quote = first.quote
    if "outside heap areas" in quote or "heap_caps_" in first.name:
        return _BAD_ADDRESS
    if "already marked as free" in quote or "!block_is_free" in quote:
        return "a block that is free already was freed: twice, or something wrote over its head"
    if "head != NULL" in quote:
        return (
            "the mark before a block is not there: it was freed already, something wrote over it, "
            "or a block never began there"
        )
    return ""


def _culprit(panic: Panic, names: Addresses) -> str:
    """The function of the allocator in which an exception came; empty: it came elsewhere."""
    if panic.name in ("abort", "assertion", "panic", "C++ exception") or panic.pc is None:
        return ""
    function, place = _first_frame(panic, names)
    file = place.rpartition(":")[0] or place
    if file in _FILES or function.startswith(_FUNCTIONS):
        return f"{function}, {place}" if place else function
    return ""


def _first_frame(panic: Panic, names: Addresses) -> tuple[str, str]:
    """Function and place of the program counter."""
    known = names.function(panic.pc or 0)
    if known:
        function, _, place = known.split(", in ")[0].partition(" (")
        return function, place.removesuffix(")")
    for address, (function, place) in panic.names.items():
        if abs(address - (panic.pc or 0)) <= 4:
            return function, place
    return "", ""


def _within(panic: Panic, culprit: str) -> str:
    word = panic.address
    found = ""
    if word is not None:
        text = near(word) if not panic.null else "a NULL pointer"
        found = f" It read {word:#010x} as an address{f': {text}' if text else ''}."
    freed = ""
    if any(name in _FREES for name, _ in panic.names.values()):
        freed = f", or {_BAD_ADDRESS}"
    of = f" of task {printable(panic.task)}" if panic.task else ""
    return (
        f"The heap is damaged{freed}: the program{of} stopped within the allocator "
        f"({printable(culprit)}; {printable(panic.name)}, line {panic.line:,}), whose own words "
        f"something wrote over, or a block was freed twice.{found}"
    )


def _crashed(reading: LogReading) -> str:
    panic = reading.stops.damage
    task = "" if panic is None else panic.task
    return f" Task {printable(task)} found it; another one may have done it." if task else ""


def stacks(reading: LogReading, names: Addresses) -> Iterator[str]:
    """Each task once."""
    named: set[str] = set()
    for fact in reading.stops.stacks:
        if fact.name not in named:
            named.add(fact.name)
            yield _stack(names, fact.name, fact.line, fact.text)
    for panic in reading.stops.panics:
        if (
            "stack" in panic.name.lower()
            and panic.task not in named
            and not (named and not panic.task)
        ):
            named.add(panic.task)
            yield _stack(names, panic.task, panic.line, panic.text)


def _stack(names: Addresses, task: str, line: int, by: str) -> str:
    if by == "smashing":
        return (
            f"A function wrote past the end of an array on its stack (line {line:,}); this shows "
            "no lack of heap: the backtrace ends in that function."
        )
    whose = f"of task {printable(task)}" if task else "of a task"
    return (
        f"The stack {whose} overflowed (line {line:,}); this shows no lack of heap: "
        f"{stack_option(task, by)}.{depth_sentence(names.elf, task)}"
    )


def others(reading: LogReading, answer: LogAnswer, names: Addresses) -> Iterator[str]:
    """All that stands behind failed requests in rank."""
    stops = reading.stops
    if stops.brownouts:
        yield (
            f"The supply fell{_times(stops.brownouts)} (brown-out{_first(stops.brownouts)}); this "
            "shows no lack of heap: look at the power supply, its cable, and what draws current "
            "then, as Wi-Fi does when it sends."
        )
    if stops.watchdogs:
        yield _watchdog(stops.watchdogs, stops.dog_tasks)
    for panic in stops.panics:
        if "stack" in panic.name.lower() or _culprit(panic, names):
            continue
        if any(0 <= fact.line - panic.line <= _NEXT for fact in stops.stacks):
            continue  # the stack is its reason
        if panic.name == "abort" and (answer.failed or answer.corrupt):
            continue  # it ends what is reported before
        if any(abs(fact.line - panic.line) <= _CLOSE for fact in reading.corrupt):
            continue  # the damage is its reason
        if panic.name in ("panic", "C++ exception") and any(
            abs(one.last - panic.line) <= _NEXT for one in answer.failed
        ):
            continue  # its reason is the request
        yield _panic(panic, answer, names)
        break
    yield from _builds(stops.builds)


_NEXT = 3  # lines from a panic to its reason
_CLOSE = 8  # lines from damage that is found to the panic that follows


def _times(facts: Sequence[Fact]) -> str:
    return "" if len(facts) == 1 else f" {len(facts):,} times"


def _first(facts: Sequence[Fact]) -> str:
    return f", line {facts[0].line:,}" if len(facts) == 1 else f", first on line {facts[0].line:,}"


def _watchdog(facts: Sequence[Fact], tasks: Sequence[Fact]) -> str:
    starved = dict.fromkeys(printable(one.name) for one in tasks if one.text == "starved")
    ran = dict.fromkeys(printable(one.name) for one in tasks if one.text == "runs")
    ran = {name: None for name in ran if not name.startswith("IDLE")}
    who = f", as {', '.join(starved)} did not run" if starved else ""
    by = f"; {', '.join(ran)} ran" if ran else ""
    return (
        f"A watchdog ran out{_times(facts)}{who}{by}{_first(facts)}; this shows no lack of heap: a "
        "task or an interrupt did not give the processor back."
    )


#: The meaning of kinds of panics, by the beginning of their names.
_MEANINGS = (
    ("Interrupt wdt", "an interrupt, or code that disabled them, took too long"),
    ("Cache disabled", "code or data in flash was used while flash was written: IRAM_ATTR"),
    ("Cache error", "code or data in flash was used while flash was written, or a bad address"),
    ("LoadStoreError", "memory for whole words, as IRAM, was used by bytes"),
    ("LoadStoreAlignment", "an address that is not aligned"),
    ("IntegerDivide", "a division by zero"),
    ("Unhandled debug", "a watchpoint or a breakpoint"),
    ("Instr", "a call of an address without code: a pointer to a function was overwritten"),
    ("Illegal", "no code at the program counter: a pointer to a function was overwritten"),
)
#: Exceptions of an ESP8266, by their numbers (Xtensa ISA).
_XTENSA = {
    0: "IllegalInstruction", 2: "InstructionFetchError", 3: "LoadStoreError",
    6: "IntegerDivideByZero", 9: "LoadStoreAlignment", 20: "InstrFetchProhibited",
    28: "LoadProhibited", 29: "StoreProhibited",
}  # fmt: skip


def _panic(panic: Panic, answer: LogAnswer, names: Addresses) -> str:
    kind = _XTENSA.get(panic.code or 0, panic.name) if panic.name == "exception" else panic.name
    of = f" of task {printable(panic.task)}" if panic.task else ""
    function, place = _first_frame(panic, names)
    at = f" in {printable(function)}{f' ({printable(place)})' if place else ''}" if function else ""
    head = f"The program{of} stopped{at}: {printable(kind)}{_detail(panic)}, line {panic.line:,}"
    failed = next((one for one in answer.failed if one.memory and _is_before(one, panic)), None)
    if panic.null:
        if failed is not None:
            return (
                f"{head}. A NULL pointer was used after the request that failed on line "
                f"{failed.line:,}: the program did not check what it got."
            )
        return (
            f"{head}. A NULL pointer was used; no request is seen to fail before, so nothing shows "
            "that the heap is the cause."
        )
    meant = next((text for name, text in _MEANINGS if kind.startswith(name)), "")
    if panic.address:
        text = near(panic.address)
        meant = meant or (
            f"{panic.address:#010x} was used as an address{f': {text}' if text else ''}"
        )
    why = f": {meant}" if meant else ""
    if panic.address is not None and is_freed(panic.address):
        return f"{head}{why}. This shows no lack of heap: a pointer outlived its block."
    return (
        f"{head}{why}. Nothing shows that the heap is the cause: the backtrace says where to look."
    )


def _is_before(one: FailedRow, panic: Panic) -> bool:
    """An ESP8266 tells the last request that failed below the exception."""
    return one.line < panic.line or one.how.startswith("ESP8266")


def _detail(panic: Panic) -> str:
    if panic.name in ("assertion", "panic", "C++ exception") and panic.text:
        return f" ({printable(panic.text)})"
    return ""


def _builds(facts: Sequence[Fact]) -> Iterator[str]:
    by_region: dict[str, Fact] = {}
    for fact in facts:
        known = by_region.get(fact.name)
        if fact.text == "overflowed" and (known is None or known.size is None):
            by_region[fact.name] = fact  # the line that tells by how much, if one does
    over = list(by_region.values())
    for fact in over:
        by = f" by {size(fact.size)}" if fact.size is not None else ""
        yield (
            f"The program was not built: region {printable(fact.name)} of the linker "
            f"overflowed{by} (line {fact.line:,}); {_relief(fact.name)}."
        )
    used = [] if over else list({fact.name: fact for fact in facts}.values())
    for fact in used:
        free = fact.free
        if free is None and fact.total is not None:
            free = fact.total - (fact.used or 0)
        what = f"{size(fact.used or 0)} of {printable(fact.name)} statically"
        left = "" if free is None else f", and {size(free)} of it are left"
        yield f"The build uses {what}{left} (line {fact.line:,}){_static(fact.name)}."


def _relief(name: str) -> str:
    if "iram" in name.lower():
        return "this is memory for code, not the heap: take code out of it (IRAM_ATTR, options)"
    if "flash" in name.lower() or "drom" in name.lower() or "irom" in name.lower():
        return "this is flash, not the heap"
    return "static data is too large: shrink arrays, or allocate them when they are used"


def _static(name: str) -> str:
    if name.lower().startswith("iram"):
        return "; IRAM is filled by the linker alone, so it cannot run out while the program runs"
    return "; a heap can be made of what is left"
