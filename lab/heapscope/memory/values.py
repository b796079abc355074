"""The values of options that a shell offers while a command is typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def offered(option: str) -> Callable[[str], list[str]] | None:
    """A function that gives the values which begin as the word that is typed; None where the option
    has no list of values. The lists are read when a shell asks."""
    if option not in _LISTS:
        return None

    def matching(incomplete: str) -> list[str]:
        return [value for value in _LISTS[option]() if value.startswith(incomplete)]

    return matching


def _chips() -> Sequence[str]:
    from heapscope.memory.layout.chips import chip_names

    return chip_names()


def _releases() -> Sequence[str]:
    from heapscope.config.releases import minors

    return minors()


def _allocators() -> Sequence[str]:
    from heapscope.memory.layout.allocator import placements

    return placements()


def _systems() -> Sequence[str]:
    from heapscope.memory.systems.system import system_names

    return system_names()


_LISTS: dict[str, Callable[[], Sequence[str]]] = {
    "chip": _chips,
    "idf": _releases,
    "allocator": _allocators,
    "system": _systems,
}
