"""The releases that a log shows where it names none, or one that cannot be."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.verbs.log import log
from heapscope.memory.layout.chips import load_chip

from ..layout.test_evidence import boot, summary


def save(folder: Path, *lines: str) -> Path:
    file = folder / "device.log"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_regions_and_figures_show_the_releases(tmp_path: Path) -> None:
    layout = load_chip("esp32s3").layout(idf="4.4.4", startup_use=0)
    result = log(save(tmp_path, *boot(layout), *summary(layout, "idf-5.1")))
    assert (result.chip, result.chip_source, result.idf) == ("esp32s3", "addresses", "")
    assert (result.idf_fits, result.confidence) == ("4.4.4, 5.0.1 to 5.1.7", "sure")
    assert "idf-5.1" in result.allocators
    assert result.contradictions == ()


def test_the_first_lines_say_so(tmp_path: Path) -> None:
    layout = load_chip("esp32c3").layout(idf="4.4.3", startup_use=0)
    version = "I (1) cpu_start: ESP-IDF: 755ce10-dirty"
    done = CliRunner().invoke(app, ["log", str(save(tmp_path, version, *boot(layout)))])
    text = " ".join(done.stdout.split())
    assert "ESP-IDF 755ce10-dirty, by its regions 4.4.3 to 5.1.1 (likely)" in text


def test_a_release_that_does_not_fit_is_a_contradiction(tmp_path: Path) -> None:
    layout = load_chip("esp32c3").layout(idf="5.4", startup_use=0)
    version = "I (1) cpu_start: ESP-IDF: v5.1.4"
    result = log(save(tmp_path, version, *boot(layout)))
    assert result.confidence == "told"
    assert any("what it prints is that of 5.2 to 6.0.2" in one for one in result.contradictions)
