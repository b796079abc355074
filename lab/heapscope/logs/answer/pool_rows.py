"""Named pools and stacks: their table, and what is worth a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from heapscope.answers.pools.groups import without_address
from heapscope.base.growth import growth
from heapscope.base.printable import printable
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import plural, size
from heapscope.logs.heaps.request_fit import RequestFit
from heapscope.logs.reader.failures import own_pool
from heapscope.logs.reader.pools import NamedPools, PoolDump, PrintedPool
from heapscope.logs.reader.reading import LogReading

_SHOWN = 3  # pools that have a sentence
_LINKER = "linker"
_LINES = 3  # of a pool, to tell that it only falls
#: A stack with less than this share of it left, or with fewer bytes where its size is unknown.
_SHARE, _FEW = 10, 200


class LogPoolRow(Row):
    """A pool or a stack, as it was printed last. The heap is another memory."""

    name: str = figure("Its name.", heading="pool")
    system: str = figure("Whose form its lines have; empty: a program's own.", heading="system")
    unit: str = figure(
        "Unit of the figures: B, words of a stack, or elements by their name.", heading="in"
    )
    kind: str = figure("pool, stack, or region (of a heap or a build).", heading="kind")
    size: int | None = figure("How much it has; null: not told.", heading="size")
    free: int | None = figure("Free of it; null: not told.", heading="free")
    used: int | None = figure("In use; null: not told.", heading="used")
    peak: int | None = figure("The most in use; null: not told.", heading="peak")
    largest: int | None = figure("Its largest free piece; null: not told.", heading="largest")
    least: int | None = figure("The least that was free, of all lines; null: not told.")
    pieces: int | None = figure("Pieces that it is in; null: not told.")
    failures: int | None = figure("Requests that it refused; null: not told.", heading="failures")
    refused: int | None = figure("The request that it refused last; null: not told.")
    times: int = figure("Lines that tell of it.")
    line: int = figure("The last one.", heading="last line")


class PoolDumpRow(Row):
    """All pools of a factory at one moment."""

    line: int = figure("Its first line.", heading="line")
    pools: int = figure("How many there are.", heading="pools")
    used: int = figure("Bytes in use.", "B", heading="used")
    size: int = figure("Bytes of all.", "B", heading="size")
    peak: int | None = figure("The most that the pools had; null: not told.", "B", heading="peak")


def pool_rows(reading: LogReading) -> Iterator[LogPoolRow]:
    """In the order of their first lines; of dumps, the pools of the last one."""
    for pool in reading.pools.listed():
        yield LogPoolRow(
            name=printable(pool.name),
            system=printable(pool.system),
            unit=printable(unit_of(pool, reading)),
            kind="stack" if pool.is_stack else "region" if pool.is_region else "pool",
            size=pool.total,
            free=pool.left,
            used=pool.used,
            peak=pool.peak,
            largest=pool.largest,
            least=pool.least if pool.min is None else pool.min,
            pieces=pool.pieces,
            failures=pool.failures,
            refused=pool.refused,
            times=pool.times,
            line=pool.line,
        )


def dump_rows(reading: LogReading) -> Iterator[PoolDumpRow]:
    """The last dumps in their order."""
    for dump in reading.pools.dumps:
        yield PoolDumpRow(
            line=dump.line,
            pools=len(dump.pools),
            used=dump.used,
            size=dump.size,
            peak=None if dump.total is None else dump.total.peak,
        )


def unit_of(pool: PrintedPool, reading: LogReading) -> str:
    """FreeRTOS counts stacks in words, but that of ESP-IDF in bytes."""
    if not pool.is_stack:
        return pool.unit
    boot = reading.boots
    espressif = boot.reported("chip") or boot.reported("idf") or reading.boots.listed
    return "B" if pool.system != "FreeRTOS" or espressif else "words"


def pool_sentences(reading: LogReading, *, alone: bool) -> Iterator[str]:
    """Pools that refused a request or are full, stacks that are nearly so, then what dumps tell.
    `alone`: the log tells of nothing else."""
    told = {one.size for one in reading.failures.listed() if own_pool(one.who)}
    troubled = [
        pool
        for pool in reading.pools.troubled()
        if pool.name != "LVGL" or pool.at_failure is not None or pool.refused not in told
    ]  # or the sentence of the request has said it
    troubled.sort(key=lambda pool: (pool.refused is None, pool.line))
    yield from (_troubled(pool) for pool in troubled[:_SHOWN])
    if len(troubled) > _SHOWN:
        others = ", ".join(printable(pool.name) for pool in troubled[_SHOWN:][:_SHOWN])
        more = plural(len(troubled) - _SHOWN, "other pool")
        yield f"{more} refused requests or are full too: {others}."
    yield from _stacks(reading)
    yield from _dumps(reading.pools.dumps, reading.pools.dump_count)
    yield from _growth(reading.pools)
    yield from _shrinking(reading.pools)
    yield from _regions(reading)
    if alone and not troubled and not reading.pools.dumps:
        yield from _rest(reading)


def doubted(fit: RequestFit, reading: LogReading) -> RequestFit:
    """A request of this size was refused by a pool, whatever the heap has."""
    refusing = (
        pool
        for pool in reading.pools.troubled()
        if pool.refused is not None and pool.refused <= fit.size and pool.unit == "B"
    )
    pool = next(refusing, None)
    if pool is None or not (fit.fits or (fit.fits is False and fit.line == pool.line)):
        return fit
    what = _called(pool).replace("The ", "the ", 1)
    return replace(
        fit,
        fits=False,
        short=None,
        largest=None,
        line=pool.line,
        why=f"{what} refused {amount(pool.refused or 0, pool)}, whatever the system's heap has",
    )


def _called(pool: PrintedPool) -> str:
    of = f" of {printable(pool.system)}" if pool.system not in ("", pool.name) else ""
    name = printable(pool.name)
    if pool.system == "XS":
        kind = "" if name == "heap" else f"{name} "
        return f"The script's own {kind}heap (XS)"
    if pool.name == "LVGL":
        return "LVGL's own pool"
    if "pool " in name.lower():
        return f"The {name}{of}"
    is_word = name.lower().endswith(("pool", "memory", "slab", "arena", "heap", "buffers"))
    return f"The {name}{of}" if is_word else f"The pool {name}{of}"


def amount(number: int, pool: PrintedPool) -> str:
    return size(number) if pool.unit == "B" else f"{number:,} {pool.unit}".strip()


def _troubled(pool: PrintedPool) -> str:
    what = _called(pool)
    left = pool.left if pool.at_failure is None else pool.at_failure
    of = "" if pool.total is None else f" of {amount(pool.total, pool)}"
    if pool.refused is not None:
        pieces = "" if pool.pieces_then is None else f", in {plural(pool.pieces_then, 'piece')}"
        then = "" if left is None else f": {amount(left, pool)}{of} were free{pieces}"
        return f"{what} refused {amount(pool.refused, pool)}{then}. It is not the system's heap."
    if pool.failures:
        times = plural(pool.failures, "request")
        peak = "" if pool.peak is None else f", the most in use was {amount(pool.peak, pool)}"
        now = "" if left is None else f": {amount(left, pool)}{of} are free now{peak}"
        return f"{what} refused {times}{now} (line {pool.line:,})."
    return f"{what} is full: none{of} is free (line {pool.line:,})."


def _stacks(reading: LogReading) -> Iterator[str]:
    stacks = [pool for pool in reading.pools.listed() if pool.is_stack and is_low(pool)]
    for pool in sorted(stacks, key=lambda one: one.left or 0)[:_SHOWN]:
        unit = unit_of(pool, reading)
        of = "" if pool.total is None else f" of {pool.total:,}"
        yield (
            f"The stack of {printable(pool.name)} has {pool.left or 0:,} {unit}{of} left at its "
            f"deepest (line {pool.line:,})."
        )


def is_low(pool: PrintedPool) -> bool:
    """Whether little is left of a stack."""
    if pool.left is None:
        return False
    return pool.left < _FEW if pool.total is None else pool.left * 100 < _SHARE * pool.total


def _dumps(dumps: list[PoolDump], count: int) -> Iterator[str]:
    if not dumps:
        return
    last = dumps[-1]
    which = "The dump of pools" if count == 1 else f"The last of {count:,} dumps of pools"
    peak = "" if last.total is None or last.total.peak is None else (
        f", peak {size(last.total.peak)}"
    )  # fmt: skip
    yield (
        f"{which} has {plural(len(last.pools), 'pool')}, {size(last.used)} of {size(last.size)} in "
        f"use{peak} (line {last.line:,})."
    )


def _growth(pools: NamedPools) -> Iterator[str]:
    """From the first dump to the last; the last ones are kept, and the first."""
    first = pools.first_dump
    if first is None or first is pools.dumps[-1]:
        return
    dumps = pools.dumps if pools.dumps[0] is first else [first, *pools.dumps]
    places = [f"line {dump.line:,}" for dump in dumps]
    yield from growth(
        [_by_kind(dump) for dump in dumps], places, what="the bytes in use", one="dump"
    )


def _by_kind(dump: PoolDump) -> dict[str, int]:
    """Bytes in use by the pools' names; an address at its end names one of several."""
    kinds: dict[str, int] = {}
    for pool in dump.pools:
        name = printable(without_address(pool.name))
        kinds[name] = kinds.get(name, 0) + (pool.used or 0)
    return kinds


def _shrinking(pools: NamedPools) -> Iterator[str]:
    """The pool that lost most of itself since its first line, and had least at its last."""
    falling = [
        pool
        for pool in pools.rows.values()
        if not pool.is_stack
        and not pool.is_region
        and pool.times >= _LINES
        and pool.left is not None
        and pool.left == pool.least
        and (pool.first or 0) - pool.left >= max(1, (pool.total or pool.first or 0) / _SHARE)
    ]
    if falling:
        pool = max(falling, key=lambda one: ((one.first or 0) - (one.left or 0)) / (one.first or 1))
        first, last = amount(pool.first or 0, pool), amount(pool.left or 0, pool)
        yield (
            f"{_called(pool)} had {first} free at its first line and {last}, its least, at the "
            f"last of {pool.times:,}: what it lost did not come back so far."
        )


def _regions(reading: LogReading) -> Iterator[str]:
    """RAM that a build leaves unused."""
    regions = [
        pool
        for pool in reading.pools.rows.values()
        if pool.system == _LINKER and ("ram" in pool.name.lower() and pool.left)
    ]
    data = [one for one in regions if "iram" not in one.name.lower()] or regions
    if data:
        most = max(data, key=lambda pool: pool.left or 0)
        yield (
            f"By the linker's table, {size(most.left or 0)} of {size(most.total or 0)} in "
            f"{printable(most.name)} are not used."
        )


def _rest(reading: LogReading) -> Iterator[str]:
    """The fullest pool, where none is in trouble."""
    pools = [one for one in reading.pools.rows.values() if one.total and one.left is not None]
    own = [one for one in pools if not one.is_stack and not one.is_region]
    if own:
        first = min(own, key=lambda pool: (pool.left or 0) / (pool.total or 1))
        peak = "" if first.peak is None else f", peak {amount(first.peak, first)}"
        yield (
            f"{_called(first)} has {amount(first.left or 0, first)} of "
            f"{amount(first.total or 0, first)} free{peak} (line {first.line:,})."
        )
