"""The parts of a prediction: which options decide them, and what of them a terminal shows."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from heapscope import predict
from heapscope.base.wording import known_digits
from heapscope.cli.app import app
from heapscope.forecast.predict.memory_part import MemoryPart

#: Numbers without a part of their own in any of the files below.
TWICE = ("LWIP_TCPIP_TASK_STACK_SIZE", "ESP_MAIN_TASK_STACK_SIZE", "ESP_TIMER_TASK_STACK_SIZE")
RELEASES = ("4.4", "5.1", "5.5")


def parts_of(folder: Path, text: str, idf: str) -> dict[str, MemoryPart]:
    path = folder / "sdkconfig.defaults"
    path.write_text(text, encoding="utf-8")
    result = predict(path, chip="esp32", idf=idf)
    return {f"{part.component} {part.what}": part for part in result.parts}


@pytest.mark.parametrize("idf", RELEASES)
def test_a_change_of_an_option_changes_parts_that_name_it_and_no_others(
    tmp_path: Path, idf: str, seed: int
) -> None:
    name = random.Random(f"{seed} {idf}").choice(TWICE)
    before = parts_of(tmp_path, "", idf)
    after = parts_of(tmp_path, f"CONFIG_{name}=9000\n", idf)
    assert before.keys() == after.keys()
    changed = {what for what in before if before[what].bytes != after[what].bytes}
    assert changed
    for what in changed:
        assert before[what].options[0] == name, "fewest parts hang on it"


def test_ten_are_shown_that_options_decide_or_all(tmp_path: Path) -> None:
    path = tmp_path / "sdkconfig.defaults"
    path.write_text("", encoding="utf-8")
    args = ["predict", str(path), "--chip", "esp32", "--idf", "5.5"]
    short, full = (
        CliRunner().invoke(app, [*args, *more], env={"COLUMNS": "200"}).stdout
        for more in ((), ("--all",))
    )
    result = predict(path, chip="esp32", idf="5.5")
    free = [part for part in result.parts if part.options]
    largest = sorted(free, key=lambda part: -part.bytes)[:10]
    for text, shown in ((short, largest), (full, result.parts)):
        table = text[text.index("RAM that the configuration asks for") :]
        for part in shown:
            assert f"{part.component}: {part.what}" in table
    assert f"{len(result.parts) - 10} others" in short
    assert " others" not in full
    assert f"all at work {result.left.median:,.0f}" in re.sub(" +", " ", short)


@pytest.mark.parametrize(
    ("number", "doubt", "shown"),
    [(17743, 5021.0, 17700), (31217, 14_400.0, 31000), (896, 0.4, 896), (10750, 83.0, 10750)],
)
def test_digits_end_where_they_are_not_known(number: int, doubt: float, shown: int) -> None:
    assert known_digits(number, doubt) == shown
