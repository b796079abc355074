"""A configuration has PSRAM on; the board has it, has another size, or has none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import heapscope
from heapscope.base.errors import InputError

Predict = Callable[..., dict[str, Any]]
ON = "SPIRAM=y SPIRAM_USE_MALLOC=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y"
CHIP = ("--chip", "esp32", "--idf", "5.1")
MB = 1 << 20


def counts(result: dict[str, Any]) -> list[str]:
    return [note for note in result["notes"] if "PSRAM counts" in note]


def test_the_answer_says_that_psram_counts(predict: Predict) -> None:
    (note,) = counts(predict(ON, *CHIP))
    assert "4 MB" in note
    assert "IGNORE_NOTFOUND" not in note
    (note,) = counts(predict(f"{ON} SPIRAM_IGNORE_NOTFOUND=y", *CHIP))
    assert "by CONFIG_SPIRAM_IGNORE_NOTFOUND the firmware starts without it" in note
    assert not counts(predict("LWIP_TCP_MSS=1440", *CHIP))


@pytest.mark.parametrize("more", ["", " SPIRAM_IGNORE_NOTFOUND=y"])
def test_a_board_without_psram_has_the_build_s_buffers_inside(predict: Predict, more: str) -> None:
    """The file's other options are as built: TX buffers are static, if they are by PSRAM."""
    on = predict(ON + more, *CHIP)
    none = predict(ON + more, *CHIP, "--psram", 0)
    assert none["psram"] == "none"
    assert none["states"]["load"]["psram"]["median"] == 0
    assert none["left"]["median"] < on["left"]["median"]  # dynamic buffers are inside now
    assert not counts(none)
    assert any("does not start" in note for note in none["notes"]) == (not more)
    kinds = {part["what"] for part in none["parts"] if part["component"] == "Wi-Fi"}
    assert ("static TX buffers" in kinds) == (not more)


def test_a_known_size_is_the_board_s(predict: Predict) -> None:
    free = predict(ON, *CHIP, "--psram", "8MB")["states"]["boot"]["psram"]
    assert free == {"median": 8 * MB, "low_80": 8 * MB, "high_80": 8 * MB}


def test_psram_that_the_build_does_not_use_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "sdkconfig"
    file.write_text('CONFIG_IDF_TARGET="esp32"\n')
    with pytest.raises(InputError, match="has no PSRAM"):
        heapscope.predict(file, psram="4MB")
    assert heapscope.predict(file, psram=0).left == heapscope.predict(file).left


def test_a_replay_without_psram_has_no_region_of_it(tmp_path: Path) -> None:
    file, trace = tmp_path / "sdkconfig", "tests/oracle/traces/edge.hst"
    lines = "".join(f"CONFIG_{each}\n" for each in f"{ON} SPIRAM_IGNORE_NOTFOUND=y".split())
    file.write_text(lines)
    wanted = {"chip": "esp32", "idf": "5.1", "sdkconfig": file, "load": "wifi"}
    on = heapscope.replay(trace, **wanted)
    assert any(region.kind == "SPIRAM" for region in on.regions)
    assert any("PSRAM counts" in note for note in on.layout.notes)
    none = heapscope.replay(trace, **wanted, psram=0)
    assert not any(region.kind == "SPIRAM" for region in none.regions)
    chip = heapscope.replay(trace, chip="esp32", idf="5.1", psram=0)
    assert not any(region.kind == "SPIRAM" for region in chip.regions)


def test_compare_says_so_too(tmp_path: Path) -> None:
    file = tmp_path / "sdkconfig"
    file.write_text('CONFIG_IDF_TARGET="esp32"\nCONFIG_SPIRAM=y\n')
    result = heapscope.compare(file, "+CONFIG_LWIP_TCP_MSS=1000", idf="5.1")
    assert any("+CONFIG_SPIRAM=n" in note for note in result.notes)
