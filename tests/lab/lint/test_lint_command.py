"""`heapscope lint` as a user and as a CI sees it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.config.rules import all_rules

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "studies" / "workloads" / "config" / "sdkconfig.defaults"
GUIDE = ROOT / "docs" / "guide" / "lint.md"

BAD = "CONFIG_ESP_WIFI_DYNAMIC_RX_BUFFER_NUM=16\nCONFIG_ESP_WIFI_RX_BA_WIN=24\n"
ADVICE = "CONFIG_HEAP_TASK_TRACKING=y\n"
Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run_it(*args: object) -> Any:
        done = CliRunner().invoke(app, ["lint", *map(str, args)])
        assert "Traceback" not in done.output
        return done

    return run_it


def save(text: str, name: str = "sdkconfig.defaults") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


@pytest.mark.parametrize(
    ("text", "code"),
    [(BAD, 1), (ADVICE, 0), ("CONFIG_LWIP_TCP_MSS=1440\n", 0), ("#\n", 0), ("?\n", 1)],
)
def test_exit_codes(run: Run, text: str, code: int) -> None:
    assert run(save(text), "--chip", "esp32", "--idf", "5.5").exit_code == code


def test_the_text_has_place_reason_and_remedy(run: Run) -> None:
    done = run(save(BAD), "--chip", "esp32")
    assert "sdkconfig.defaults:2: W1 CONFIG_ESP_WIFI_RX_BA_WIN" in done.stdout
    assert "window of 24 frames is larger than the 16 dynamic" in done.stdout
    assert "write CONFIG_ESP_WIFI_RX_BA_WIN=20" in done.stdout
    assert done.stdout.startswith("2 errors, 1 piece of advice.\n")
    assert "ESP-IDF 5.5, as neither --idf nor a file says which" in done.stdout


def test_json_is_as_its_schema_says(run: Run) -> None:
    schema = schema_of("lint")
    done = run(save(BAD + ADVICE), "--chip", "esp32", "--json", "-")
    document = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["failed"] is True
    assert document["counts"] == {"B": 2, "K": 0, "R": 0, "A": 2, "D": 0}
    first = document["findings"][0]
    assert (first["rule"], first["line"]) == ("W1", 2)
    assert first["write"] == ["CONFIG_ESP_WIFI_RX_BA_WIN=16"]
    assert first["source"] == "components/esp_wifi/src/wifi_init.c:51"


def test_sarif(run: Run) -> None:
    name = save(BAD + ADVICE, "sdk config")
    assert run(name, "--chip", "esp32", "--sarif", "lint.sarif").exit_code == 1
    document = json.loads(Path("lint.sarif").read_text(encoding="utf-8"))
    assert document["version"] == "2.1.0"
    (built,) = document["runs"]
    rules = built["tool"]["driver"]["rules"]
    assert len(built["results"]) == 4
    for result in built["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "sdk%20config"
        assert place["region"]["startLine"] in (2, 3)
        assert result["message"]["text"]
    levels = {result["ruleId"]: result["level"] for result in built["results"]}
    assert (levels["W1"], levels["M17"]) == ("error", "note")


def test_annotations_for_github(run: Run) -> None:
    name = save(BAD + ADVICE, "sdk,config")
    done = run(name, "--chip", "esp32", "--github")
    lines = done.stdout.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("::error file=sdk%2Cconfig,line=2,title=W1 [B]::CONFIG_ESP_WIFI_")
    assert lines[-1].startswith("::notice file=sdk%2Cconfig,line=3,title=M17 [A]::")
    assert all(line.count("::") == 2 for line in lines)


def test_nothing_that_a_file_says_becomes_a_command(run: Run) -> None:
    done = run(save("CONFIG_LWIP_TCP_MSS=1%\x1b]0;x\x07::error::\n"), "--chip", "esp32", "--github")
    (line,) = done.stdout.splitlines()
    assert "\x1b" not in line
    assert "1%25" in line
    assert line.startswith("::error file=")


def test_the_fragment_mends_the_file(run: Run) -> None:
    name = save(BAD)
    run(name, "--chip", "esp32", "--fix", "fix.defaults")
    text = Path("fix.defaults").read_text(encoding="utf-8")
    assert "# W1 [B] (sdkconfig.defaults:2):" in text
    assert text.count("\nCONFIG_") == 1
    for before, line in zip(text.splitlines(), text.splitlines()[1:], strict=False):
        assert not line.startswith("CONFIG_") or before.startswith("# ")
    assert run(name, "fix.defaults", "--chip", "esp32").exit_code == 0
    run(save("CONFIG_LWIP_TCP_MSS=1440\n"), "--chip", "esp32", "--fix", "fix.defaults")
    assert "Nothing to mend." in Path("fix.defaults").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["--fix", "--json", "--sarif"])
def test_the_configuration_is_never_overwritten(run: Run, option: str) -> None:
    done = run(save(BAD), "--chip", "esp32", option, "./sdkconfig.defaults")
    assert done.exit_code == 2
    assert "is the input" in done.stderr
    assert Path("sdkconfig.defaults").read_text(encoding="utf-8") == BAD


def test_the_chip_is_the_last_files(run: Run) -> None:
    names = [
        save(f'CONFIG_IDF_TARGET="{chip}"\n', f"{number}")
        for number, chip in enumerate(("esp32", "esp32c3", "esp32"))
    ]
    assert "set for esp32" in run(*names).stdout


@pytest.mark.parametrize(
    ("text", "args", "why", "remedy"),
    [
        (None, ["--chip", "esp32"], "no such file", "check the path"),
        (BAD, [], "no --chip", "esp32c61"),
        (BAD, ["--chip", "esp23"], "unknown chip 'esp23'", "did you mean esp32?"),
        (BAD, ["--chip", "esp32", "--idf", "5.6"], "unknown ESP-IDF version", "5.5"),
        ('CONFIG_IDF_TARGET="esp32c3"\n', ["--chip", "esp32"], "CONFIG_IDF_TARGET", "leave"),
        (BAD, ["--chip", "esp32", "--json", "-", "--github"], "standard output", "files"),
        (BAD, ["--chip", "esp32", "--idf-tree", "."], "no ESP-IDF", "checkout"),
        (BAD, ["--chip", "esp32", "--fix", "no/where"], "no such folder", "--fix"),
    ],
)
def test_bad_input(run: Run, text: str | None, args: list[str], why: str, remedy: str) -> None:
    if text is not None:
        save(text)
    done = run("sdkconfig.defaults", *args)
    assert done.exit_code == 2
    error, _, rest = done.stderr.partition("\nremedy: ")
    assert why in error
    assert remedy in rest


@pytest.mark.parametrize(
    ("head", "sdk", "note"),
    [
        ("5.5.1", "5.5.1", "5.5.1, as the file says: judged by the options of 5.5.5"),
        ("v4.2.2-dirty", "4.2.2", "judged by the options of 4.2.5"),
        ("5.1.2", "5.1.2", "judged by the options of 5.1.7"),
        ("4.4.8", "4.4.8", "ESP-IDF 4.4.8, as the file says"),
        ("6.1", "6.1-beta1", "ESP-IDF 6.1, as the file says"),
        ("7.3", "5.5", "ESP-IDF 7.3, as the file says, is not known: taken as 5.5"),
    ],
)
def test_chip_and_version_from_the_file(run: Run, head: str, sdk: str, note: str) -> None:
    header = f"# Espressif IoT Development Framework (ESP-IDF) {head} Project Configuration\n"
    done = run(save(header + 'CONFIG_IDF_TARGET="esp32"\n'), "--json", "-")
    document = json.loads(done.stdout)
    assert (document["chip"], document["idf"]) == ("esp32", sdk)
    assert any(note in each for each in document["notes"])


@pytest.mark.parametrize("line", ["LWIP_TCP_WND_DEFALT=1", "ETH_DMA_TX_BUFFER_NUMS=1"])
def test_names_in_a_generated_file_are_not_questioned(run: Run, line: str) -> None:
    """Kconfig knew each of them, whatever our tables say."""
    header = "# Espressif IoT Development Framework (ESP-IDF) 5.5.1 Project Configuration\n"
    text = f"CONFIG_{line}\n"
    assert run(save(header + text), "--chip", "esp32").exit_code == 0
    assert run(save(text), "--chip", "esp32").exit_code == 1


def test_the_guide_counts_the_rules() -> None:
    counted = sum(bool(rule.checks or rule.ranges) for rule in all_rules() if rule.area != "lines")
    published = sum(rule.area != "lines" for rule in all_rules())
    assert f"{counted} of the {published} rules" in GUIDE.read_text(encoding="utf-8")
