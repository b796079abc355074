"""TLS modes: what each takes beside Wi-Fi, by predict's terms, and what it asks of the program.

They are enumerated, not in the programme: their terms multiply (a dynamic buffer is as long as the
longer record), and only a replay tells when each is allocated. In the models the modes differ in
memory alone, so that of those that ask nothing of the peer the one that takes least leaves the best
configuration, whatever is preferred.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.config.config import Config
from heapscope.config.value import Value
from heapscope.forecast.predict.config_knobs import enabled, integer
from heapscope.forecast.predict.held_part import Held
from heapscope.forecast.predict.memory_states import DRAM, PSRAM, MemoryModel
from heapscope.forecast.predict.part_table import LOAD
from heapscope.forecast.tune.options import broken_rules

_FULL = 16_384  # the longest record that TLS has
#: Lengths that are tried beside the present ones.
_INCOMING, _OUTGOING = (_FULL, 4_096), (_FULL, 4_096, 2_048)
_IN, _OUT = "MBEDTLS_SSL_IN_CONTENT_LEN", "MBEDTLS_SSL_OUT_CONTENT_LEN"
_BOTH = "MBEDTLS_ASYMMETRIC_CONTENT_LEN"
_DYNAMIC = "MBEDTLS_DYNAMIC_BUFFER"
_FREED = ("MBEDTLS_DYNAMIC_FREE_CONFIG_DATA", "MBEDTLS_DYNAMIC_FREE_CA_CERT")
_PEER = "MBEDTLS_SSL_KEEP_PEER_CERTIFICATE"


class TlsVariant(Row, eq=False):
    """A mode of TLS, for all sessions at their peak."""

    values: Mapping[str, Value] = figure("Options that make it.", hidden=True)
    incoming: int = figure("Bytes of the longest record that is received.", hidden=True)
    outgoing: int = figure("Bytes of the longest record that is sent.", hidden=True)
    dynamic: bool = figure("Buffers are there only while they are used.", hidden=True)
    keep_peer: bool = figure("The peer's certificate is kept.", hidden=True)
    options: tuple[str, ...] = figure("Lines that make it; none: it is so already.")
    internal_bytes: int = figure("The memory that it takes in the chip.", "B", least=None)
    psram_bytes: int = figure("The memory that it takes in PSRAM.", "B", least=None)
    longest_buffer_bytes: int = figure(
        "The memory that must be there in one piece.", "B", least=None
    )
    asks: tuple[str, ...] = figure("The needs that it has of the program.")
    asks_peer: str = figure("The need that it has of the other side; empty: none.")

    @property
    @computed("The mode in words.")
    def name(self) -> str:
        parts = [f"IN {self.incoming:,}", f"OUT {self.outgoing:,}"]
        parts.append("dynamic buffers" if self.dynamic else "fixed buffers")
        if not self.dynamic and not self.keep_peer:
            parts.append("peer certificate freed")
        return ", ".join(parts)

    def beats(self, other: TlsVariant) -> bool:
        """No more memory, and asks for nothing that the other does not; or less."""
        return self is not other and all(
            (
                self.internal_bytes <= other.internal_bytes,
                self.psram_bytes <= other.psram_bytes,
                self.incoming >= other.incoming,
                self.outgoing >= other.outgoing,
                other.dynamic or not self.dynamic,
                self.keep_peer or not other.keep_peer,
            )
        )


class TlsChoice(Row):
    """The modes of TLS."""

    sessions: int = figure("The sessions at the same time.", least=1)
    now: TlsVariant = figure("The mode of the present configuration.")
    best: TlsVariant = figure("The mode with the least memory that asks nothing of the peer.")
    others: tuple[TlsVariant, ...] = figure("The other modes, the one with the least first.")
    lines: Mapping[str, Value] = figure("Options of the best one that are not so now.", hidden=True)

    def worthwhile(self) -> Iterator[TlsVariant]:
        """Those that no other one beats; the present and the best one first."""
        first = dict.fromkeys((self.now, self.best))
        yield from first
        every = (self.best, *self.others)
        for each in self.others:
            if each not in first and not any(other.beats(each) for other in every):
                yield each


def choose_tls(model: MemoryModel) -> TlsChoice:
    """Among equally small variants, the one that changes the fewest options is chosen."""
    config, sessions = model.scene.config, model.scene.demand.tls
    now, *others = tls_variants(model)
    least = min(
        (each for each in (now, *others) if not each.asks_peer),
        key=lambda each: (*_size(each), len(_new(config, each.values))),
    )
    rest = sorted((each for each in (now, *others) if each is not least), key=_size)
    return TlsChoice(
        sessions=sessions,
        now=now,
        best=least,
        others=tuple(rest),
        lines=_new(config, least.values),
    )


def _size(variant: TlsVariant) -> tuple[int, int]:
    return variant.internal_bytes, variant.psram_bytes


def tls_variants(model: MemoryModel) -> Iterator[TlsVariant]:
    """The present one first; none that breaks a hard rule which is kept now."""
    config = model.scene.config
    before = {rule.id for rule in broken_rules(config)}
    has = _lengths(config)
    dynamic, keep = enabled(config, _DYNAMIC), config.value(_PEER) is not False
    yield _variant(model, {}, (*has, dynamic, keep), has[0])
    for incoming, outgoing, is_dynamic, keeps in product(
        dict.fromkeys((has[0], *_INCOMING)),
        dict.fromkeys((has[1], *_OUTGOING)),
        (False, True),
        (True, False),
    ):
        if (incoming, outgoing, is_dynamic, keeps) == (*has, dynamic, keep):
            continue
        if is_dynamic and keeps:
            continue  # the measured peak of dynamic buffers is without it
        values: dict[str, Value] = {_BOTH: True, _IN: incoming, _OUT: outgoing}
        values |= dict.fromkeys((_DYNAMIC, *_FREED), is_dynamic) | {_PEER: keeps}
        after = {rule.id for rule in broken_rules(config.changed_to(values))}
        if after <= before:
            shape = (incoming, outgoing, is_dynamic, keeps)
            yield _variant(model, values, shape, has[0])


def recorded_variant(config: Config, facts: Mapping[str, str]) -> dict[str, Value]:
    """Options that a trace's metadata says its program was built with, where they differ from the
    configuration's. A build without a name for its options says nothing."""
    stated: dict[str, Value] = {}
    for word in facts.get("config", "").split():
        name, _, text = word.partition("=")
        if config.name_here(name):
            stated[name] = int(text) if text.isdigit() else True
    if _IN in stated or _OUT in stated:
        stated = {_BOTH: True, **stated}
    return _new(config, stated)


def _variant(
    model: MemoryModel,
    values: Mapping[str, Value],
    shape: tuple[int, int, bool, bool],
    longest: int,
) -> TlsVariant:
    """`shape`: lengths in and out, dynamic, peer certificate kept. `longest`: the record that the
    program takes now."""
    incoming, outgoing, dynamic, keep = shape
    config = model.scene.config
    held = _tls_parts(model.of(config.changed_to(values)))
    asks = []
    if outgoing < _FULL:
        asks.append(f"own certificates of at most {outgoing:,} bytes")
    if dynamic:
        asks.append("certificates and key set again to reconnect")
    if not keep:
        asks.append("peer's certificate not read later")
    return TlsVariant(
        values=values,
        options=tuple(filter(None, (config.line(name, each) for name, each in values.items()))),
        incoming=incoming,
        outgoing=outgoing,
        dynamic=dynamic,
        keep_peer=keep,
        internal_bytes=_bytes(held, DRAM),
        psram_bytes=_bytes(held, PSRAM),
        longest_buffer_bytes=max(round(each.size) for each in held if each.part.memory == "record"),
        asks=tuple(asks),
        asks_peer=f"records of at most {incoming:,} bytes" if incoming < longest else "",
    )


def _tls_parts(model: MemoryModel) -> list[Held]:
    return [each for each in model.held(LOAD) if each.part.component == "TLS"]


def _bytes(held: Iterable[Held], place: str) -> int:
    return round(sum(each.bytes for each in held if each.place == place))


def _lengths(config: Config) -> tuple[int, int]:
    """Incoming and outgoing content, bytes."""
    if config.value(_BOTH) is False:
        both = integer(config, "MBEDTLS_SSL_MAX_CONTENT_LEN", _FULL)
        return both, both
    return integer(config, _IN, _FULL), integer(config, _OUT, 4_096)


def _new(config: Config, values: Mapping[str, Value]) -> dict[str, Value]:
    """Options that are not so; one that is on by none's default counts as off."""
    return {name: value for name, value in values.items() if (config.value(name) or False) != value}
