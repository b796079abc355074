"""The library as WebAssembly, for pages: its bytes, and its interface as data.

A page calls the same functions on the same structs as this binding. Where their fields lie on a
machine of 32 bits, and which structs a function takes, is read from the declarations here and
handed to the page, so that no script writes it down."""

from __future__ import annotations

import functools
from dataclasses import asdict
from pathlib import Path
from typing import Any

from heapscope.base.errors import HeapscopeError
from heapscope.native.config import NativeConfig
from heapscope.native.library import ABI, ffi, load
from heapscope.native.log import FLAGS, KINDS, MEMORIES, REPORTED
from heapscope.native.structs import NEVER, enum_values

_FILE = Path(__file__).parent / "engine.wasm"
_POINTER = 4  #: bytes of an address there, and of a size_t
#: Numbers above it are texts in JSON: a script's own numbers are exact up to here.
EXACT = (1 << 53) - 1
#: cffi's names of numbers, and their bytes.
_BYTES = {"char": 1, "int": 4, "size_t": _POINTER, "double": 8} | {
    f"{sign}int{bits}_t": bits // 8 for sign in ("u", "") for bits in (8, 16, 32, 64)
}

#: Functions whose rows are the figures of a replay, in the order in which they are compared.
FIGURES = (
    *("hs_lab_reader_health", "hs_lab_reader_census", "hs_lab_reader_loss", "hs_lab_summary"),
    *("hs_lab_regions", "hs_lab_tasks", "hs_lab_capsets", "hs_lab_kinds", "hs_lab_needs"),
    *("hs_lab_failures", "hs_lab_failure_spans", "hs_lab_rules", "hs_lab_anomalies"),
    "hs_lab_marks",
)
#: And those that have rows for each row of another one.
NESTED = {
    "hs_lab_failure_regions": "hs_lab_failures",
    "hs_lab_mark_regions": "hs_lab_marks",
    "hs_lab_mark_tasks": "hs_lab_marks",
    "hs_lab_mark_capsets": "hs_lab_marks",
}
#: Rows that a page asks for by themselves: blocks that ended, and those that are live.
_LIVES = ("hs_lab_holders", "hs_lab_lives", "hs_lab_live")
#: And those of a device that a page listens to.
_HEARD = (
    *("hs_lab_listener_figures", "hs_lab_listener_health", "hs_lab_listener_notices"),
    *("hs_lab_listener_memories", "hs_lab_listener_owners", "hs_lab_listener_watched"),
    "hs_lab_listener_in_the_way",
)
#: The requests that a log tells as failed.
_LOGGED = ("hs_lab_log_failed",)
#: And of the lives of a replay's blocks.
_HISTORY = ("hs_lab_history", "hs_lab_history_sums")
_STRUCTS = (
    *("hs_lab_config_t", "hs_lab_timeline_t", "hs_lab_import_stats_t", "hs_lab_log_fact_t"),
    *("hs_lab_leak_row_t", "hs_lab_filter_t", "hs_lab_view_t", "hs_lab_life_t"),
    *("hs_lab_lately_t", "hs_lab_need_t", "hs_lab_piece_row_t"),
)


def has_engine() -> bool:
    """Whether the build made it: zig was there."""
    return _FILE.is_file()


@functools.cache
def engine_bytes() -> bytes:
    """The WebAssembly module."""
    try:
        return _FILE.read_bytes()
    except OSError as error:
        raise HeapscopeError(
            f"{_FILE}: the engine of the pages is missing: {error.strerror}",
            remedy="install ziglang beside the source and build again: make dev",
        ) from None


@functools.cache
def interface() -> dict[str, Any]:
    """The structs, the functions and the numbers that a page needs, as JSON has them."""
    library = load()
    structs: dict[str, Any] = {}
    calls: dict[str, Any] = {}
    for name in (*FIGURES, *NESTED, *_LIVES, *_HEARD, *_LOGGED, *_HISTORY):
        kind = ffi.typeof(getattr(library, name))
        rows = kind.result.kind != "void"
        item = kind.args[-2 if rows else -1].item
        calls[name] = {"struct": _name(item), "rows": rows}
        _add(item, structs)
    for name in _STRUCTS:
        _add(ffi.typeof(name), structs)
    return {
        "abi": ABI,
        "never": str(NEVER),
        "structs": structs,
        "calls": calls,
        "figures": FIGURES,
        "nested": NESTED,
        "log": {"kinds": KINDS, "memories": MEMORIES, "has": REPORTED, "flags": FLAGS},
        "leaks": {
            "verdicts": enum_values("hs_lab_leak_verdict_t", "HS_LAB_LEAK_"),
            "reasons": enum_values("hs_lab_leak_reason_t", "HS_LAB_LEAK_"),
        },
    }


def config_json(config: NativeConfig) -> Any:
    """A configuration as a page writes it into the engine's memory."""
    return exact(asdict(config))


def exact(value: Any) -> Any:
    """The value with texts in place of numbers that a script would round."""
    if isinstance(value, dict):
        return {key: exact(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [exact(one) for one in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > EXACT:
        return str(value)
    return value


def _name(kind: Any) -> str:
    return str(kind.cname.removeprefix("struct "))


def _add(struct: Any, structs: dict[str, Any]) -> tuple[int, int]:
    """Its size and alignment; its fields go into `structs`."""
    fields: list[dict[str, Any]] = []
    end, align = 0, 1
    for name, field in struct.fields:
        kind, count = field.type, 1
        if kind.kind == "array":
            kind, count = kind.item, kind.length
        size, own, described = _kind(kind, structs)
        end = -(-end // own) * own
        if field.type.kind == "array":
            described["count"] = count
        fields.append({"name": name, "at": end, **described})
        end, align = end + size * count, max(align, own)
    whole = -(-end // align) * align
    structs[_name(struct)] = {"size": whole, "fields": fields}
    return whole, align


def _kind(kind: Any, structs: dict[str, Any]) -> tuple[int, int, dict[str, Any]]:
    """Size, alignment and description of a field's type."""
    if kind.kind == "struct":
        size, align = _add(kind, structs)
        return size, align, {"struct": _name(kind)}
    if kind.kind == "pointer":
        if kind.item.kind == "struct":
            _add(kind.item, structs)
        return _POINTER, _POINTER, {"array": _name(kind.item)}
    size = _BYTES[kind.cname]
    return size, size, {"number": kind.cname}
