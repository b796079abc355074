"""Nothing changes with an option but what hangs on it: drawn configurations of real releases."""

from __future__ import annotations

import random

import pytest

from heapscope.config.config import Config, settle
from heapscope.config.value import Value

BUILDS = [("esp32", "5.5"), ("esp32", "4.2"), ("esp32c3", "5.1"), ("esp32s3", "6.0")]


def drawn(config: Config, draw: random.Random) -> dict[str, Value]:
    """Other values of some options that a user can set."""
    table = config.table
    names = [name for name in table.symbols if config.values.can_set(name)]
    built: dict[str, Value] = {}
    for name in draw.sample(names, 3):
        symbol = table.symbols[name]
        if symbol.kind == "bool":
            built[name] = config.values.text(name) != "y"
        elif symbol.kind == "int":
            low, high = config.values.range_of(name) or (0, 1000)
            built[name] = draw.randint(low, high)
    return built


@pytest.mark.cells(2)
@pytest.mark.parametrize("number", range(12))
def test_what_is_not_reached_does_not_change(number: int, seed: int) -> None:
    draw = random.Random(f"{seed} {number}")
    chip, sdk = BUILDS[number % len(BUILDS)]
    config = settle((), chip=chip, sdk=sdk)
    read = config.read_values()
    before = {name: read.text(name) for name in config.table.symbols}
    assert before == {name: config.values.text(name) for name in before}
    fewer = 0
    for _ in range(6):
        values = drawn(config, draw)
        after = config.changed_to(values).values
        reached = read.reached(values)
        changed = {name for name, text in before.items() if after.text(name) != text}
        assert changed <= reached, (chip, sdk, values)
        fewer += len(reached) < len(before) / 2
    assert fewer  # or it would be of no use
