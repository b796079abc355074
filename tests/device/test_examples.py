"""The examples of device/examples, built for chips and run in emulation, say what they are said
to."""

from __future__ import annotations

from pathlib import Path

import pytest
from emulation.machine import FaultError, Machine
from emulation.program import build_program, run_program
from emulation.targets import TARGETS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "device" / "examples"
BOARD = ROOT / "emulation" / "board.c"


def built(name: str, target: str) -> Path:
    return build_program(TARGETS[target], [EXAMPLES / name / "main.c", BOARD])


@pytest.mark.cells(1)
@pytest.mark.parametrize("target", ["rv32imc", "cortex-m4"])
@pytest.mark.parametrize("name", ["hello", "regions", "script", "pools"])
def test_an_example_says_what_is_expected(name: str, target: str) -> None:
    finished = run_program(TARGETS[target], built(name, target))
    expected = (EXAMPLES / name / "expected.txt").read_text(encoding="utf-8")
    assert finished.output == expected
    assert finished.code == 0


def test_every_example_is_run() -> None:
    results = sorted(path.parent.name for path in EXAMPLES.glob("*/main.c"))
    assert results == ["hello", "pools", "regions", "script"]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["rv32imc", "cortex-m0plus"])
def test_the_iram_of_the_regions_is_touched_by_words_alone(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Machine] = []

    def watched(*arguments: object) -> Machine:
        machine = Machine(*arguments)  # type: ignore[arg-type]
        machine.allow_words_only(machine.symbols["iram"], 8192)
        begun.append(machine)
        return machine

    monkeypatch.setattr("emulation.program.Machine", watched)
    finished = run_program(TARGETS[target], built("regions", target))
    assert finished.code == 0
    assert "a table of words, in IRAM       IRAM\n" in finished.output
    machine = begun[0]
    with pytest.raises(FaultError, match="write of 1 bytes"):  # so it would have been seen
        machine.call("memset", machine.symbols["iram"], 0, 1)
