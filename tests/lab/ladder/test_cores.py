"""A core or a project brings a configuration, by name, and its own code does more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.cli.verbs.compare import compare
from heapscope.cli.verbs.compared_kind import Operand, kind_of
from heapscope.config.cores import PROJECTS, NamedCore, core_behind, core_of, named_core
from heapscope.forecast.ladder.difference import Ladder
from heapscope.forecast.ladder.side import named_files
from heapscope.memory.options import MemoryOptions


def gains(result: object, state: str = "boot") -> dict[str, int]:
    assert isinstance(result, Ladder)
    return {row.option: row.gain.states[state].dram.median for row in result.steps[0].options}


def test_a_core_is_a_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("arduino@3.3.8", "micropython@v1.27.0:ESP32_GENERIC@5.4.1", "idf@5.5"):
        assert kind_of(text) is Operand.CONFIGURATION, text
    assert named_core("arduino@3.3.8:qio_opi+CONFIG_SPIRAM=y") == (
        NamedCore(project="arduino", release="3.3.8", tags=("qio_opi",)),
        "+CONFIG_SPIRAM=y",
    )
    assert named_core("sdkconfig@5.1") is None
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arduino").write_text("CONFIG_SPIRAM=y\n")
    assert named_core("arduino@5.1") is None  # a file of that name comes first


def test_a_release_behind_one_is_of_the_project_that_has_it() -> None:
    core = NamedCore(project="arduino", release="3.3.7", tags=("qio_opi",))
    assert core_behind(core, "@3.3.8") == (
        NamedCore(project="arduino", release="3.3.8", tags=("qio_opi",)),
        "",
    )
    board = NamedCore(project="micropython", release="1.26.1", tags=("ESP32_GENERIC",))
    assert core_behind(board, "@5.4.1") is None  # ESP-IDF's
    assert core_behind(board, "@1.27.0") is not None
    unknown = NamedCore(project="micropython", release="9.9.9", tags=("ESP32_GENERIC",))
    assert core_behind(board, "@9.9.9") == (unknown, "")  # no release of ESP-IDF's


def test_memory_variants_differ() -> None:
    texts = {
        tag: core_of(
            NamedCore(project="arduino", release="3.3.8", tags=(tag,)), chip="esp32s3"
        ).file.text
        for tag in ("qio_qspi", "qio_opi", "opi_opi")
    }
    assert "CONFIG_SPIRAM_MODE_OCT=y" not in texts["qio_qspi"]
    assert "CONFIG_SPIRAM_MODE_OCT=y" in texts["qio_opi"]
    assert len(set(texts.values())) == len(texts)


def test_the_caches_of_a_core_are_the_cause() -> None:
    """arduino-esp32#12524: 397,744 to 348,584 B."""
    for names in (("arduino@3.3.7", "@3.3.8"), ("arduino@3.3.7:qio_opi", "@3.3.8")):
        shares = gains(compare(*names, chip="esp32s3"))
        caches = {name for name, gain in shares.items() if abs(gain) > 10_000}
        kinds = {name.rpartition("_")[0] for name in caches}
        assert kinds == {"ESP32S3_DATA_CACHE", "ESP32S3_INSTRUCTION_CACHE"}
    cores: list[MemoryOptions] = [{"idf": "arduino 3.3.7"}, {"idf": "arduino 3.3.8"}]
    assert gains(compare(chip="esp32s3", sides=cores)) == gains(
        compare("arduino@3.3.7", "arduino@3.3.8", chip="esp32s3")
    )


def test_what_the_core_does_in_no_option_is_a_change_of_its_own() -> None:
    """Bluetooth's memory is kept; it does not count where the program uses Bluetooth."""
    shares = gains(compare("arduino@3.3.5", "@3.3.6", chip="esp32"), "app_main")
    assert -40_000 < shares["code"] < -33_000
    lines = "+CONFIG_BT_ENABLED=y"
    used = gains(compare(f"arduino@3.3.5{lines}", "@3.3.6", chip="esp32"), "app_main")
    assert used.get("code", 0) == 0


def test_a_core_without_psram_on_the_board_has_none() -> None:
    named = NamedCore(project="arduino", release="2.0.17")
    core = core_of(named, chip="esp32")
    assert "SPIRAM_SUPPORT=y" not in core.file.text
    assert any("PSRAM, which counts with" in note for note in core.notes)


@pytest.mark.parametrize(
    ("name", "chip", "say"),
    [
        ("arduino@9.1", "esp32", "no configuration of arduino 9.1"),
        ("arduino@3.3.8", None, "for which chip"),
        ("arduino@3.3.8:qio_opi", "esp32", "no such configuration on the esp32"),
        ("micropython@1.27.0:PICO", "esp32", "no such configuration"),
        ("arduino@3.3.8", "esp32s31", "no configuration for the esp32s31"),
        ("idf@5.5:qio", "esp32", "no variants"),
        ("arduino@3.3.8@5.4", "esp32", "what is '@5.4'"),
        ("arduino@3.3.8+RUBBISH", "esp32", "RUBBISH"),
    ],
)
def test_what_is_not_known_is_said(name: str, chip: str | None, say: str) -> None:
    with pytest.raises(InputError, match=say) as error:
        compare(name, "+CONFIG_LWIP_IPV6=n", chip=chip)
    assert error.value.remedy


def test_a_missing_patch_release_is_the_nearest_with_a_note() -> None:
    result = compare("arduino@2.0.9", "@2.0.12", chip="esp32")
    assert isinstance(result, Ladder)
    assert any("arduino 2.0.12: that of 2.0.11, the nearest known" in n for n in result.notes)


@pytest.mark.cells(4)
@pytest.mark.parametrize("project", [name for name in PROJECTS if name != "idf"])
def test_every_configuration_is_read(project: str) -> None:
    """By its own release's options, without a line of the wrong kind."""
    from heapscope.config.chosen_config import choose_among
    from heapscope.config.cores import _releases

    releases = _releases(project)
    for release, record in list(releases.items())[:: max(1, len(releases) // 3)]:
        for chip in list(record["chips"])[:2]:
            tags = (next(iter(record["chips"][chip]["variants"])),)
            named = NamedCore(project=project, release=release, tags=tuple(filter(None, tags)))
            core = core_of(named, chip=chip)
            chosen = choose_among((), chip=core.chip, idf=core.idf, later=(core.file,))
            bad = [
                each for each in chosen.config.judged if each.fate.reason in ("kind", "malformed")
            ]
            assert not bad, (release, chip, [each.setting.written for each in bad])


def test_the_document_has_the_cause(tmp_path: Path) -> None:
    result = compare("arduino@2.0.4", "@2.0.5", chip="esp32")
    document = json.loads(json.dumps(result.to_json()))
    assert {row["cause"] for row in document["steps"][0]["options"]} >= {"code", "release"}
    assert named_files(["arduino@2.0.4", "@2.0.5"])[1].name == "@2.0.5"
