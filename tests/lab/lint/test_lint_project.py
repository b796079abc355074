"""lint --project: the options of a project count, and its Kconfig files are checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from heapscope import lint, predict, tune
from heapscope.cli.app import app

FILES = {
    "CMakeLists.txt": "include($ENV{IDF_PATH}/tools/cmake/project.cmake)\nproject(app)\n",
    "sdkconfig.defaults": 'CONFIG_IDF_TARGET="esp32"\nCONFIG_LED_GPIO=4\nCONFIG_LED_BLINKS=200\n'
    "CONFIG_NOBODYS_OWN=y\n",
    "sdkconfig.defaults.esp32": "CONFIG_LED_GPIO=60\n",
    "main/Kconfig.projbuild": 'config LED_GPIO\n    int "GPIO"\n    range 0 39\n    default 2\n'
    'config LED_BLINKS\n    int "how often"\n    default 3\n',
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_options_of_the_project_are_judged_like_the_release_s_own(project: Path) -> None:
    result = lint(project=project, idf="5.5")
    results = {(each.rule, Path(each.file).name, each.option) for each in result.findings}
    assert results == {
        ("range", "sdkconfig.defaults.esp32", "LED_GPIO"),
        ("unlisted", "sdkconfig.defaults", "NOBODYS_OWN"),
    }
    [unlisted] = [each for each in result.findings if each.rule == "unlisted"]
    assert "neither ESP-IDF nor the project" in unlisted.message


def test_a_file_can_be_checked_against_a_project(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.defaults"
    other.write_text("CONFIG_LED_GPIO=39\n")
    assert not lint(other, project=project, idf="5.5", chip="esp32").findings


def test_a_broken_kconfig_file_stops_the_build_and_not_the_linter(project: Path) -> None:
    (project / "main" / "Kconfig").write_text('config BROKEN\n    bool "no end\n')
    result = lint(project=project, idf="5.5")
    [broken] = [each for each in result.findings if each.rule == "kconfig-file"]
    assert (Path(broken.file).name, broken.line, broken.severity) == ("Kconfig", 2, "B")
    assert {"range", "unlisted"} <= {each.rule for each in result.findings}


def test_a_project_without_a_configuration_is_checked_at_its_defaults(project: Path) -> None:
    for path in project.glob("sdkconfig*"):
        path.unlink()
    done = CliRunner().invoke(
        app, ["lint", "--project", str(project), "--chip", "esp32", "--json", "-"]
    )
    assert done.exit_code == 0
    assert json.loads(done.stdout)["files"] == [str(project)]


def test_predict_and_tune_start_from_the_project(project: Path) -> None:
    assert predict(project=project, idf="5.5").chip == "esp32"
    assert tune(project=project, idf="5.5").chip == "esp32"


def test_no_output_takes_the_place_of_a_file_of_the_project(project: Path) -> None:
    kept = (project / "sdkconfig.defaults").read_text()
    arguments = ["--project", str(project), "--fix", str(project / "sdkconfig.defaults")]
    assert CliRunner().invoke(app, ["lint", *arguments]).exit_code == 2
    assert (project / "sdkconfig.defaults").read_text() == kept


def test_neither_files_nor_a_project_is_an_error() -> None:
    done = CliRunner().invoke(app, ["lint", "--chip", "esp32"])
    assert done.exit_code == 2
    assert "Traceback" not in done.output
