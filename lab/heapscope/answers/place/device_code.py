"""C that places blocks as rules do: for the device's regions (device/include/heapscope)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from heapscope.answers.place.classes import Owner
from heapscope.answers.place.pool_code import pool_lines, pools_of
from heapscope.answers.place.rule_lines import SIZE_MAX, PlaceRule
from heapscope.base.languages import c_comment
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.region_names import find_regions

_FIRST_BIT = 22  # the bits from here to 30 mean nothing to ESP-IDF or the device library
_BITS = 9
_KINDS = {"SPIRAM": "HS_CAP_SPIRAM", "IRAM": "HS_CAP_IRAM_8BIT"}  # that capabilities tell apart


def device_code(rules: Sequence[PlaceRule], layout: Layout) -> tuple[str, ...]:
    """Line by line. A task, call site or region that a rule names has a bit among the capabilities.
    Empty: there are no rules, or the bits do not suffice."""
    bits = _Bits(rules, layout)
    if not rules or bits.count > _BITS - any(rule.high for rule in rules):
        return ()
    return tuple(_lines(rules, bits, layout))


class _Bits:
    """The names of the capabilities that the rules need."""

    def __init__(self, rules: Sequence[PlaceRule], layout: Layout) -> None:
        self.owners: dict[Owner, str] = {}
        self.regions: dict[str, str] = {}
        for rule in rules:
            if rule.owner != Owner() and rule.owner not in self.owners:
                self.owners[rule.owner] = f"PLACE_OWNER_{len(self.owners)}"
            target = rule.target
            if rule.pool is not None:
                if len(layout.regions) == 1:
                    continue  # there is nothing to tell apart
                target = rule.pool.source
            if rule.private or rule.high or target in self.regions:
                continue
            kind = layout.regions[find_regions(layout, target)[0]].kind
            if target == kind and kind in _KINDS:
                self.regions[target] = _KINDS[kind]
            else:
                self.regions[target] = f"PLACE_REGION_{len(self.regions)}"

    @property
    def count(self) -> int:
        return sum(1 for _ in self.defined())

    def defined(self) -> Iterator[tuple[str, str]]:
        for owner, name in self.owners.items():
            text = ", ".join(
                f"{noun} {c_comment(str(value))}"
                for noun, value in (
                    ("task", owner.task),
                    ("site", owner.site),
                    ("heap", owner.heap),
                )
                if value is not None
            )
            yield name, f"requests of {text} ask for it too"
        for target, name in self.regions.items():
            if name.startswith("PLACE_"):
                yield name, f"the hs_memory_t of {c_comment(target)} has it too"


def _lines(rules: Sequence[PlaceRule], bits: _Bits, layout: Layout) -> Iterator[str]:
    yield "/* Made by `heapscope place`: the rules of hs_regions_config_t. */"
    yield (
        '#include "heapscope/private.h"'
        if any(rule.private for rule in rules)
        else ('#include "heapscope/regions.h"')
    )
    if pools_of(rules):
        yield '#include "heapscope/fixed.h"'
    if any(rule.high for rule in rules):
        yield ""
        yield "#if !HS_ENDS"
        yield '#error "These rules need both ends of free blocks: set HS_ENDS to 1."'
        yield "#endif"
    yield ""
    for number, (name, stated) in enumerate(bits.defined(), start=_FIRST_BIT):
        yield f"#define {name} (1u << {number}) /* {stated} */"
    if bits.count:
        yield ""
    for rule in rules:
        if rule.private:
            name = c_comment(rule.target)
            yield f"/* {name}: docs/guide/private-heaps.md says how it is used. */"
            yield f"static const hs_private_config_t place_{_word(rule.target)} = {{"
            yield f'    .name = "{_word(rule.target)}", .size = {rule.private}}};'
            yield ""
    placed = [rule for rule in rules if not rule.private and rule.pool is None]
    if placed or bits.owners:
        yield "static const hs_size_rule_t place_rules[] = {"
        for rule in placed:
            least = f", .from = {rule.least}" if rule.least > 1 else ""
            most = f", .to = {rule.most}" if rule.most != SIZE_MAX else ""
            if rule.high:
                for owner in _askers(rule, bits):
                    yield f"    {{.asked = {owner or 0}{least}{most}, .instead = HS_CAP_HIGH}},"
                continue
            where = bits.regions[rule.target]
            for owner in _askers(rule, bits):
                text = f"HS_CAP_DEFAULT | {owner}" if owner else "HS_CAP_DEFAULT"
                yield f"    {{.asked = {text}{least}{most},"
                yield f"     .instead = HS_CAP_DEFAULT | {where}}},"
        for name in bits.owners.values():
            yield f"    {{.asked = {name}, .instead = 0}}, /* the rest: without the bit */"
        yield "};"
    if pools_of(rules):
        yield ""
        yield from pool_lines(
            rules,
            layout,
            owners=tuple(bits.owners.values()),
            requested=lambda rule: bits.owners.get(rule.owner, ""),
            source=lambda pool: bits.regions.get(pool.source, "HS_CAP_DEFAULT"),
        )


def _askers(rule: PlaceRule, bits: _Bits) -> tuple[str, ...]:
    """The bits that the rule has to take away; "": none. A rule for everyone is also for
    those who ask for a bit."""
    if rule.owner == Owner():
        return (*bits.owners.values(), "")
    return (bits.owners[rule.owner],)


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", text)[:40]
