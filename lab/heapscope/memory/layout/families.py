"""Allocators by the system or library that has them."""

from __future__ import annotations

from collections.abc import Iterable

#: By title: how the names begin.
_FAMILIES = {
    "Heapscope": ("heapscope",),
    "ESP-IDF": ("idf-",),
    "FreeRTOS": ("heap_",),
    "Zephyr": ("sys_heap", "zephyr-"),
    "newlib": ("newlib",),
    "picolibc": ("picolibc",),
    "Rust": (
        "linked_list_allocator", "embedded-alloc", "esp-alloc", "rlsf", "talc-",
        "buddy_system_allocator",
    ),
    "ThreadX": ("threadx",),
    "NuttX": ("nuttx",),
    "RT-Thread": ("rtthread-",),
    "lwIP": ("lwip-",),
    "Contiki-NG": ("heapmem",),
    "LVGL": ("lvgl",),
    "TLSF": ("tlsf",),
    "umm_malloc": ("umm",),
    "o1heap": ("o1heap",),
}  # fmt: skip
#: The models that a question without a name leaves out: they are for programs of one system.
_ONLY_NAMED = (
    *("sys_heap-", "zephyr-", "newlib", "picolibc", "heap_5", "o1heap-3"),
    *_FAMILIES["Rust"],
    *("threadx", "nuttx", "rtthread-", "lwip-", "heapmem", "lvgl"),
)


def family_of(name: str) -> str:
    """The title of an allocator's family; empty: it has none."""
    return next((title for title, starts in _FAMILIES.items() if name.startswith(starts)), "")


def is_compared(name: str) -> bool:
    """Whether a question about all allocators is about this one; others have to be named."""
    return not name.startswith(_ONLY_NAMED)


def by_family(names: Iterable[str], nearest: str) -> str:
    """The names without flavours, family by family, that of the nearest one first; and the
    flavours."""
    groups: dict[str, list[str]] = {family_of(nearest): []} if nearest else {}
    flavoured: list[str] = []
    for name in names:
        if "+" in name:
            flavoured.append(name)
        else:
            groups.setdefault(family_of(name), []).append(name)
    listed = [f"{title}: {', '.join(group)}" for title, group in groups.items()]
    newest = [name for name in flavoured if name.startswith("idf-5.5")]
    listed += [f"with flavours: {', '.join(newest)} and so on"] if newest else []
    return "; ".join(listed)
