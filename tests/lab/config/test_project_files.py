"""The files of a project, and the options that they define."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapscope.base.errors import InputError
from heapscope.config.chosen_config import choose_config
from heapscope.config.cmake_lists import commands, variables
from heapscope.config.kconfig.lines import read_lines, user_values
from heapscope.config.kconfig.patches import unlike
from heapscope.config.kconfig.table import option_table, release_for
from heapscope.config.kconfig.values import OptionValues
from heapscope.config.project import Project, find_project
from heapscope.config.project_options import project_options

CMAKE = """cmake_minimum_required(VERSION 3.16)
# set(EXTRA_COMPONENT_DIRS no_such)
set(SDKCONFIG_DEFAULTS "sdkconfig.defaults;boards/${BOARD}" "sdkconfig.more")
set(EXTRA_COMPONENT_DIRS "${CMAKE_CURRENT_LIST_DIR}/extra")
list(APPEND EXTRA_COMPONENT_DIRS $ENV{IDF_PATH}/examples/common_components)
set(IDF_TARGET "esp32s3")
include($ENV{IDF_PATH}/tools/cmake/project.cmake)
project(app)
"""
LOCK = """dependencies:
  idf:
    source: {type: idf}
    version: 5.1.2
target: esp32c3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "CMakeLists.txt": CMAKE,
        "sdkconfig.defaults": "CONFIG_LED_GPIO=8\n",
        "sdkconfig.defaults.esp32s3": "CONFIG_LED_GPIO=9\n",
        "sdkconfig.more": "CONFIG_LED_GPIO=10\n",
        "sdkconfig.more.esp32s3": "CONFIG_LED_GPIO=11\n",
        "dependencies.lock": LOCK,
        "main/CMakeLists.txt": "idf_component_register(SRCS a.c)",
        "main/Kconfig.projbuild": 'menu "App"\nconfig LED_GPIO\n    int "LED"\n    range 0 48\n'
        "    default 2\nendmenu\n",
        "main/idf_component.yml": "dependencies:\n  idf: '>=5.0'\n  espressif/led_strip: '^2.0'\n"
        "  here:\n    version: '*'\n    override_path: ../shared\n",
        "shared/Kconfig": "config SHARED\n    bool\n    default y\n",
        "components/one/CMakeLists.txt": "idf_component_register(KCONFIG Kconfig.one)",
        "components/one/Kconfig.one": 'config ONE\n    bool "one"\n',
        "components/one/sdkconfig.rename": "CONFIG_OLD_ONE CONFIG_ONE\n",
        "components/no_component/Kconfig": "config NOBODY\n    bool\n",
        "extra/deep/component.mk": "",
        "extra/deep/Kconfig": "config DEEP\n    bool\n",
        "managed_components/espressif__led_strip/CMakeLists.txt": "",
        "managed_components/espressif__led_strip/Kconfig": "config STRIP\n    bool\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def find(folder: Path, **text: str) -> Project:
    return find_project(folder, environment=text)


def test_the_files_are_those_of_the_build_in_the_order_of_the_release(folder: Path) -> None:
    (folder / "sdkconfig").write_text("CONFIG_LED_GPIO=12\n")
    project = find(folder)
    names = [path.name for path in project.files("esp32s3", "5.5.5")]
    defaults = ["sdkconfig.defaults", "sdkconfig.defaults.esp32s3"]
    more = ["sdkconfig.more", "sdkconfig.more.esp32s3"]
    assert names == [*defaults, *more, "sdkconfig"]
    names = [path.name for path in project.files("esp32s3", "4.4.8")]
    assert names == [defaults[0], more[0], defaults[1], more[1], "sdkconfig"]
    assert [path.name for path in project.files("esp32", "5.5.5")][1] == "sdkconfig.more"


def test_chip_and_version_are_what_the_files_say(folder: Path) -> None:
    project = find(folder)
    assert (project.chip.value, project.chip.file) == ("esp32s3", "CMakeLists.txt")
    assert (project.version.value, project.version.file) == ("5.1.2", "dependencies.lock")
    (folder / "CMakeLists.txt").unlink()
    assert find(folder).chip.value == "esp32c3"


@pytest.mark.parametrize(
    ("header", "revision", "text", "certain"),
    [
        ("", "v5.4", "v5.4", True),
        ("5.4.0", "v5.4-dirty", "v5.4-dirty", True),
        ("5.4.0", "v5.4-dev-1234-g0123abc", "v5.4-dev-1234-g0123abc", False),
        ("5.4.0", "v5.4.1", "5.4.0", False),  # of an older build
        ("5.4.0", "0123abc", "5.4.0", False),
        ("", "0123abc", "5.1.2", True),
        ("", "", "5.1.2", True),
    ],
)
def test_the_last_build_tells_the_exact_version(
    folder: Path, header: str, revision: str, text: str, *, certain: bool
) -> None:
    """A file that Kconfig wrote has 5.4.0 of 5.4.0 and of what came before it."""
    if header:
        head = f"# Espressif IoT Development Framework (ESP-IDF) {header} Project Configuration"
        (folder / "sdkconfig").write_text(
            f"#\n# Automatically generated file. DO NOT EDIT.\n{head}\n#\n"
        )
    (folder / "build").mkdir()
    (folder / "build" / "project_description.json").write_text(
        json.dumps({"git_revision": revision, "target": "esp32s2"})
    )
    (folder / "CMakeLists.txt").unlink()
    chosen = choose_config((), chip=None, idf=None, project=folder)
    assert chosen.config.chip == "esp32s2"
    assert any(note.startswith(f"ESP-IDF {text}, as ") for note in chosen.notes), chosen.notes
    release = release_for(chosen.config.sdk, "esp32s2")
    exact = unlike(chosen.config.sdk, release, certain=certain)
    assert chosen.config.table.unlike.lines == exact.lines


def test_a_damaged_description_of_a_build_is_a_note(folder: Path) -> None:
    (folder / "build").mkdir()
    for text in ("[" * 100_000, "[]", '{"target": 5, "git_revision": []}', "\xff"):
        (folder / "build" / "project_description.json").write_text(text, encoding="latin-1")
        project = find(folder)
        assert (project.built.value, project.version.value) == ("", "5.1.2")
        assert any("project_description.json is" in note for note in project.notes) == (
            text[0] != "{" and text != "[]"
        )


def test_the_environment_names_defaults_where_the_project_does_not(folder: Path) -> None:
    assert "environment" not in " ".join(find(folder, SDKCONFIG_DEFAULTS="sdkconfig.more").notes)
    (folder / "CMakeLists.txt").write_text("project(app)")
    project = find(folder, SDKCONFIG_DEFAULTS="sdkconfig.more")
    assert [path.name for path in project.defaults] == ["sdkconfig.more"]
    assert "environment" in " ".join(project.notes)


def test_options_of_every_component_count(folder: Path) -> None:
    built = project_options(find(folder), option_table("5.5.5", "esp32s3"))
    assert built.own == {"LED_GPIO", "ONE", "DEEP", "STRIP", "SHARED"}
    text = "CONFIG_LED_GPIO=33\nCONFIG_OLD_ONE=y\n"
    values = OptionValues(built.table, user_values(read_lines(text, built.table), built.table))
    assert [values.text(name) for name in ("LED_GPIO", "ONE", "SHARED")] == ["33", "y", "y"]


def test_what_only_the_build_knows_is_stated(folder: Path) -> None:
    notes = " ".join(find(folder).notes)
    assert "$ENV{IDF_PATH}/examples/common_components" in notes
    assert "boards/${BOARD}" in notes
    assert not find(folder).whole
    (folder / "managed_components" / "espressif__led_strip" / "CMakeLists.txt").unlink()
    (folder / "managed_components").rename(folder / "elsewhere")
    assert "asks for espressif/led_strip, which is not downloaded" in " ".join(find(folder).notes)


def test_the_folder_of_an_esp_idf_is_read_where_the_project_names_it(folder: Path) -> None:
    common = folder / "idf" / "examples" / "common_components" / "connect"
    common.mkdir(parents=True)
    (common / "CMakeLists.txt").write_text("")
    (common / "Kconfig.projbuild").write_text("config CONNECT\n    bool\n")
    project = find_project(folder, idf_path=folder / "idf", environment={})
    table = option_table("5.5.5", "esp32s3")
    assert "CONNECT" in project_options(project, table, idf_path=folder / "idf").own


def test_a_project_of_platformio_has_its_files_by_environment(tmp_path: Path) -> None:
    files = {
        "platformio.ini": "[platformio]\ndefault_envs = second\n[env:first]\nframework = espidf\n"
        "[env:second]\nframework = espidf\nboard_build.mcu = esp32c6\n",
        "sdkconfig.first": "CONFIG_A=1\n",
        "sdkconfig.second": "CONFIG_A=2\n",
        "sdkconfig.defaults": "CONFIG_A=3\n",
        "src/Kconfig.projbuild": 'config A\n    int "a"\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    project = find(tmp_path)
    assert project.chip.value == "esp32c6"
    assert project.sdkconfig is not None
    assert project.sdkconfig.name == "sdkconfig.second"
    assert any("sdkconfig.first" in note for note in project.notes)
    assert project_options(project, option_table("5.5.5", "esp32c6")).own == {"A"}


@pytest.mark.parametrize("name", ["", "nothing_here"])
def test_a_folder_without_a_project_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        find(tmp_path / name)
    assert error.value.remedy


def test_a_set_in_an_if_is_marked_uncertain() -> None:
    text = "if(A)\nset(B 1)\nendif()\nset(C 2)\nlist(PREPEND C 1)\nset(D ${B};${C}/x)"
    result = variables(text, {})
    assert (result["B"].certain, result["C"].certain) == (False, True)
    assert result["C"].values == ("1", "2")
    assert result["D"].values == ("1", "1", "2/x")


@given(text=st.text(max_size=300) | st.lists(
    st.sampled_from(["set(", ")", '"', "\\", "${A}", "A ", "list(APPEND ", "#", "#[[", ";", "if("]),
    max_size=200,
).map("".join))  # fmt: skip
def test_any_text_is_a_cmake_list(text: str) -> None:
    assert all(command.line > 0 for command in commands(text))
    variables(text, {})


@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_content_of_the_projects_files_is_read(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "main").mkdir()
    names = ("CMakeLists.txt", "platformio.ini", "dependencies.lock", "main/idf_component.yml")
    for name in (*names, "main/CMakeLists.txt", "main/Kconfig", "main/sdkconfig.rename"):
        (folder / name).write_bytes(content)
    project_options(find(folder), option_table("5.5.5", "esp32"))
