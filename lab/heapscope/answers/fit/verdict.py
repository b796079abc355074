"""The verdict in net bytes: Heapscope's heap in place of the one that a firmware has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from heapscope.answers.fit.firmware_heap import FirmwareHeap
from heapscope.answers.fit.heap_code import (
    NONE,
    Between,
    Compiled,
    HeapCode,
    own_code,
    releases_measured,
    sdk_code,
)
from heapscope.answers.fit.limits import STEP
from heapscope.answers.fit.net_bytes import COSTS, DEPENDS, PAYS, UNKNOWN, NetBytes, NetPart
from heapscope.answers.fit.smallest_pool import FitResult
from heapscope.base.wording import count, size
from heapscope.memory.layout.layout import Region
from heapscope.native.single_heap import fill
from heapscope.trace.loss import is_cut

#: The most by which a linker script rounds the end of code up, so that memory can be protected:
#: _esp_memprot_align_size in components/esp_system/ld/ld.common of ESP-IDF.
ALIGNED = 512
#: Shares of their sizes that a default firmware's regions have in others.
_SHARES = (1.0, 0.75, 0.5)


@dataclass(frozen=True, kw_only=True)
class _Bytes:
    """Bytes of one kind, with either heap. None: not known. `gain`: where it is not just the
    difference, since both depend on how the firmware is compiled."""

    part: str
    before: Between | None
    after: Between | None
    gain: Between | None = None
    counts: bool = True
    source: str

    @property
    def gained(self) -> Between | None:
        if self.gain is not None or self.before is None or self.after is None:
            return self.gain
        return self.before - self.after

    def row(self) -> NetPart:
        gained = self.gained
        return NetPart(
            part=self.part,
            before_least=None if self.before is None else self.before.least,
            before_most=None if self.before is None else self.before.most,
            after_least=None if self.after is None else self.after.least,
            after_most=None if self.after is None else self.after.most,
            gain_least=None if gained is None else gained.least,
            gain_most=None if gained is None else gained.most,
            counts=self.counts,
            source=self.source,
        )


def with_verdict(rows: Sequence[FitResult], firmware: FirmwareHeap) -> list[FitResult]:
    """The rows of one trace; that of our allocator gets the verdict."""
    pools = {row.allocator: row for row in rows}
    net = net_bytes(firmware, pools[firmware.before], pools[firmware.after])
    return [replace(row, net=net) if row.allocator == firmware.after else row for row in rows]


def net_bytes(firmware: FirmwareHeap, before: FitResult, after: FitResult) -> NetBytes:
    """`before` and `after`: the smallest pools of a trace with either heap."""
    parts = [_pool(before, after), _other_tables(firmware), *_code(firmware)]
    net: Between | None = NONE
    for part in parts:
        if part.counts:
            gained = part.gained
            net = None if net is None or gained is None else net + gained
    code = next(part for part in parts if part.part == "code")
    if net is not None and code.counts:
        net = _rounded(net, code)
    elif net is not None and firmware.iram_8bit:
        net = None if code.gained is None else net | (net + code.gained)
    verdict = _verdict(net)
    return NetBytes(
        chip=firmware.chip,
        idf=firmware.idf,
        before=firmware.before,
        in_rom=firmware.in_rom,
        verdict=verdict,
        net_least=None if net is None else net.least,
        net_most=None if net is None else net.most,
        sentence=_sentence(firmware, verdict, net, parts),
        parts=tuple(part.row() for part in parts),
        open_questions=tuple(_open(firmware, verdict, parts)),
        notes=tuple(_notes(firmware)),
    )


def _pool(before: FitResult, after: FitResult) -> _Bytes:
    lost = is_cut(before.loss) or is_cut(after.loss)
    pools = (None if row.pool is None or lost else row.pool for row in (before, after))
    old, new = (None if pool is None else Between(pool, pool) for pool in pools)
    return _Bytes(part="pool", before=old, after=new, source="the smallest pools of the trace")


def _other_tables(firmware: FirmwareHeap) -> _Bytes:
    """Each region of the chip has tables; those of one are in the pool already. Without a map the
    regions are a default firmware's, and may be as small as half of that."""
    smaller = sorted(firmware.regions, key=lambda region: region.size)[:-1]
    shares = _SHARES if firmware.mapped is None else _SHARES[:1]
    before = [_tables(firmware.before, smaller, share) for share in shares]
    after = [_tables(firmware.after, smaller, share) for share in shares]
    whose = "the default firmware's" if firmware.mapped is None else "the map's"
    return _Bytes(
        part="other tables",
        before=_range(before),
        after=_range(after),
        gain=_range(old - new for old, new in zip(before, after, strict=True)),
        source=f"the models on {whose} {len(smaller)} smaller regions",
    )


def _tables(allocator: str, regions: Sequence[Region], share: float) -> Between:
    """On regions of this share of their size. One on which there can be no heap is lost whole."""
    number = 0
    for region in regions:
        room = int(region.size * share) // STEP * STEP
        heap = fill(allocator, base=region.start, size=room, block=0, most=0)
        number += room if heap is None else heap.control
    return Between(number, number)


def _code(firmware: FirmwareHeap) -> Iterator[_Bytes]:
    """Code in IRAM, then variables. A gain is taken build by build: both are compiled alike."""
    pairs = [(_present(firmware, one), _own(firmware, one)) for one in firmware.compiled]
    for part in ("code", "variables"):
        yield _Bytes(
            part=part,
            before=_range(None if old is None else old.of(part) for old, _ in pairs),
            after=_range(None if new is None else new.of(part) for _, new in pairs),
            gain=_range(
                None if old is None or new is None else old.of(part) - new.of(part)
                for old, new in pairs
            ),
            counts=part != "code" or not firmware.iram_is_apart,
            source=_source(firmware),
        )


def _present(firmware: FirmwareHeap, compiled: Compiled) -> HeapCode | None:
    """The component that the firmware has. Published figures of an ESP32-H2 see nothing of the
    layer that stays above a heap in ROM, so that none of it is the least."""
    if firmware.mapped is not None:
        return firmware.mapped
    if firmware.tracing or firmware.tracking:
        return None
    result = sdk_code(
        firmware.arch,
        firmware.minor,
        compiled,
        poisoning=firmware.poisoning,
        in_rom=firmware.in_rom,
    )
    if result is None:
        return None
    if firmware.in_flash:
        return replace(result, iram=NONE)
    return replace(result, iram=NONE | result.iram) if firmware.in_rom else result


def _own(firmware: FirmwareHeap, compiled: Compiled) -> HeapCode | None:
    if firmware.tracing:
        return None
    return own_code(
        firmware.arch,
        firmware.minor,
        compiled,
        poisoning=firmware.poisoning,
        owners=firmware.tracking,
        in_flash=firmware.in_flash,
    )


def _range(betweens: Iterable[Between | None]) -> Between | None:
    """The range of all; None: unknown or missing."""
    whole: Between | None = None
    for one in betweens:
        if one is None:
            return None
        whole = one if whole is None else whole | one
    return whole


def _rounded(net: Between, code: _Bytes) -> Between:
    if code.gained == NONE:
        return net
    return Between(net.least - (ALIGNED - 1), net.most + (ALIGNED - 1))


def _verdict(net: Between | None) -> str:
    if net is None:
        return UNKNOWN
    if net.least > 0:
        return PAYS
    return COSTS if net.most <= 0 else DEPENDS


# ---- in words -----------------------------------------------------------------------------------


def _source(firmware: FirmwareHeap) -> str:
    if firmware.mapped is not None:
        return "the linker map; Heapscope's compiled and measured"
    if firmware.in_flash:
        return "CONFIG_HEAP_PLACE_FUNCTION_INTO_FLASH: the code is in flash"
    if firmware.in_rom:
        return "the allocator is in ROM and takes none; the layer above it, compiled and measured"
    return "compiled and measured"


def _sentence(
    firmware: FirmwareHeap, verdict: str, net: Between | None, parts: Sequence[_Bytes]
) -> str:
    subject = f"Heapscope's heap in place of {firmware.before}"
    where = f"on an {firmware.title} under ESP-IDF {firmware.idf}"
    if net is None:
        return f"It is not known whether {subject} pays {where}."
    text = "; ".join(f"{part.part}: {_signed(part.gained)}" for part in parts if part.counts)
    if verdict == PAYS:
        return f"{subject} pays {where}: {_amount(net)} gained ({text})."
    lost = Between(-net.most, -net.least)
    if verdict == COSTS:
        return f"{subject} does not pay {where}: it costs {_amount(lost)} net ({text})."
    return (
        f"It depends whether {subject} pays {where}: from {size(lost.most)} lost to "
        f"{size(net.most)} gained ({text})."
    )


def _amount(between: Between) -> str:
    if between.least == between.most:
        return size(between.least)
    return f"{count(between.least)} to {size(between.most)}"


def _signed(between: Between | None) -> str:
    if between is None:
        return "not known"
    if between.least == between.most:
        return f"{between.least:+,} B" if between.least else "0 B"
    return f"{between.least:+,} to {between.most:+,} B"


def _open(firmware: FirmwareHeap, verdict: str, parts: Sequence[_Bytes]) -> Iterator[str]:
    pool, _, code, _ = parts
    if pool.gained is None:
        yield "One of the two heaps has no smallest pool here, or the trace lost events."
    if firmware.tracing:
        yield "Heap tracing adds code that was not measured: leave it out of a firmware that ships."
    if not firmware.compiled:
        yield "The code was not measured without optimisation: give the sdkconfig that ships."
    elif code.after is None and not firmware.tracing:
        yield f"Heapscope's code was not measured for ESP-IDF {firmware.minor}."
    elif code.before is None and not firmware.tracing:
        yield f"{_unmeasured(firmware)}: --map with the firmware's linker map settles it."
    elif verdict == DEPENDS and firmware.mapped is None:
        doubt = "The sizes of the chip's other regions are a default firmware's"
        if code.counts and not firmware.in_flash:
            doubt = (
                f"The present heap's code in RAM is known as {_amount(code.before or NONE)} only"
            )
        yield f"{doubt}: --map with the firmware's linker map settles it."
    if firmware.iram_is_apart and firmware.iram_8bit and verdict == DEPENDS:
        yield (
            "It depends on whether the program runs out of the IRAM that it uses for data "
            "(MALLOC_CAP_IRAM_8BIT)."
        )


def _unmeasured(firmware: FirmwareHeap) -> str:
    if firmware.tracking:
        return "The code of task tracking was not measured"
    if firmware.in_rom:
        return "Heap poisoning over the allocator in ROM was not measured"
    known = ", ".join(releases_measured())
    return f"The heap of ESP-IDF {firmware.minor} was not measured (known: {known})"


def _notes(firmware: FirmwareHeap) -> Iterator[str]:
    yield from firmware.notes
    if firmware.iram_is_apart:
        yield (
            f"On the {firmware.title}, IRAM is memory of its own: code in it takes nothing from "
            "ordinary malloc, and the linker says whether it fits."
        )
    elif not firmware.in_flash:
        yield (
            f"On the {firmware.title}, code in IRAM and the heap share one memory. The end of the "
            f"code is rounded up by less than {ALIGNED} B, which the range allows for."
        )
    if firmware.in_rom:
        why = f", {firmware.inferred}" if firmware.inferred else ""
        yield f"The allocator in ROM costs no code. It is taken to be {firmware.before}{why}."
