"""--idf-tree: a small ESP-IDF of our own, read by the Kconfig that ESP-IDF uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from heapscope.base.errors import HeapscopeError, InputError
from heapscope.cli.app import app
from heapscope.config import kconfig_tree
from heapscope.config.config import Config, read_files, settle
from heapscope.config.kconfig_tree import tree_table, tree_version
from heapscope.config.lint.find import lint

ROOT_KCONFIG = """\
mainmenu "IDF"
config IDF_TARGET
    string
    default "$IDF_TARGET"
source "$COMPONENT_KCONFIGS_PROJBUILD_SOURCE_FILE"
source "$COMPONENT_KCONFIGS_SOURCE_FILE"
"""
NET_KCONFIG = """\
menu "Net"
config LWIP_TCP_MSS
    int "MSS"
    range 536 1460
    default 1200 if IDF_TARGET = "esp32c3"
    default 1440
config NET_FAST
    bool "Fast"
    default n
    select NET_CHAIN
config NET_CHAIN
    bool "Chain"
choice NET_COLOUR
    prompt "Colour"
    default NET_RED
    depends on NET_FAST
config NET_RED
    bool "Red"
config NET_BLUE
    bool "Blue"
endchoice
config NET_FAST_SIZE
    int "Size"
    depends on NET_FAST
    default 7
config NET_BASE
    hex "Base"
    default 0x10
config NET_NAME
    string "Name"
    default "a"
config NET_LOUD
    bool "Loud"
    default y
endmenu
"""
VERSION = """\
set(IDF_VERSION_MAJOR 5)
set(IDF_VERSION_MINOR 5)
set(IDF_VERSION_PATCH 1)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "idf"
    for name, text in {
        "Kconfig": ROOT_KCONFIG,
        "components/net/Kconfig": NET_KCONFIG,
        "components/net/sdkconfig.rename": "CONFIG_NET_QUIET !CONFIG_NET_LOUD\n",
        "components/app/Kconfig.projbuild": 'config APP_NAME\n    string "Name"\n',
        "tools/cmake/version.cmake": VERSION,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def judged(tree: Path, folder: Path, text: str, chip: str = "esp32") -> Config:
    file = folder / "sdkconfig.defaults"
    file.write_text(text, encoding="utf-8")
    own = tree_table(tree, chip=chip, sdk="5.5")
    return settle(read_files([file]), chip=chip, sdk="5.5", own=own)


def findings(tree: Path, folder: Path, text: str) -> dict[str, str]:
    """Messages of errors by option."""
    result = lint(judged(tree, folder, text)).findings
    return {each.option: each.message for each in result if each.hard}


def test_what_kconfig_takes(tree: Path, tmp_path: Path) -> None:
    text = (
        'CONFIG_NET_FAST=y\nCONFIG_NET_FAST_SIZE=9\nCONFIG_NET_BASE=10\nCONFIG_NET_NAME="b \\"c"\n'
    )
    text += 'CONFIG_LWIP_TCP_MSS=1400\n# CONFIG_NET_LOUD is not set\nCONFIG_APP_NAME="x"\n'
    assert findings(tree, tmp_path, text) == {}


def test_what_it_does_not_take(tree: Path, tmp_path: Path) -> None:
    text = "CONFIG_NET_FAST_SIZE=9\nCONFIG_NET_FAST_SISE=9\nCONFIG_LWIP_TCP_MSS=9999\n"
    result = findings(tree, tmp_path, text)
    assert "it needs NET_FAST" in result["NET_FAST_SIZE"]
    assert "no such option; the nearest name is CONFIG_NET_FAST_" in result["NET_FAST_SISE"]
    assert "out of range, which is 536..1460 here" in result["LWIP_TCP_MSS"]
    assert "takes the default with a message: 1440" in result["LWIP_TCP_MSS"]


def test_its_options_stand_for_ours(tree: Path, tmp_path: Path) -> None:
    config = judged(tree, tmp_path, "CONFIG_NET_FAST=y\n", chip="esp32c3")
    assert config.value("LWIP_TCP_MSS") == 1200
    assert config.value("NET_FAST_SIZE") == 7
    assert config.value("NET_BASE") == 16
    assert config.value("ESP_WIFI_RX_BA_WIN") is None  # not in the tree
    assert judged(tree, tmp_path, "").value("LWIP_TCP_MSS") == 1440


def test_choices_and_selects(tree: Path, tmp_path: Path) -> None:
    result = findings(tree, tmp_path, "CONFIG_NET_CHAIN=n\nCONFIG_NET_FAST=y\nCONFIG_NET_RED=n\n")
    assert "CONFIG_NET_FAST selects it" in result["NET_CHAIN"]
    assert "n changes nothing in a choice" in result["NET_RED"]
    config = judged(tree, tmp_path, "CONFIG_NET_FAST=y\nCONFIG_NET_BLUE=y\n")
    assert (config.value("NET_RED"), config.value("NET_BLUE")) == (False, True)
    assert judged(tree, tmp_path, "CONFIG_NET_BLUE=y\n").value("NET_BLUE") is False


def test_inverted_old_names(tree: Path, tmp_path: Path) -> None:
    assert findings(tree, tmp_path, "CONFIG_NET_QUIET=y\n") == {}
    assert judged(tree, tmp_path, "CONFIG_NET_QUIET=y\n").value("NET_LOUD") is False


def test_the_callers_environment_does_not_matter(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IDF_TARGET", "esp32c3")
    monkeypatch.setenv("IDF_PATH", "/nowhere")
    assert findings(tree, tmp_path, "CONFIG_NET_FAST=y\n") == {}


def test_the_command(tree: Path, tmp_path: Path) -> None:
    file = tmp_path / "sdkconfig.defaults"
    file.write_text("CONFIG_NET_FAST_SIZE=9\n", encoding="utf-8")
    args = ["lint", str(file), "--chip", "esp32", "--idf-tree", str(tree)]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 1
    text = "".join(done.stdout.split())  # long paths are wrapped anywhere
    assert ":1:dependsCONFIG_NET_FAST_SIZE" in text
    assert "ESP-IDF 5.5.1, as --idf-tree says" in done.stdout


@pytest.mark.parametrize(
    "lines",
    [
        'config RUN\n    string "a"\n    default "$(shell,touch {ran})"\n',
        'config RUN\n    bool "$(shell,touch {ran})"\n',
        'RUN := $(shell,touch {ran})\nconfig RUN\n    bool "a"\n',
        "if-success = $(shell,{{ $(1); }} >/dev/null 2>&1 && echo y)\n"
        'config RUN\n    bool "a"\n    default $(if-success,touch {ran})\n',
        'source "$(shell,touch {ran}; echo no/such)"\n',
        'config RUN\n    bool "a"\n    default y if "$(shell,touch {ran})" = "n"\n',
    ],
)
def test_no_program_that_a_tree_names_is_run(lines: str, tree: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    kconfig = tree / "components" / "net" / "Kconfig"
    kconfig.write_text(NET_KCONFIG + lines.format(ran=ran), encoding="utf-8")
    with pytest.raises(InputError, match=r"nothing of a tree is run: .*touch") as caught:
        findings(tree, tmp_path, "CONFIG_NET_FAST=y\n")
    assert "sdkconfig.json" in caught.value.remedy
    assert not ran.exists()


@pytest.mark.parametrize("module", ["kconfigfunctions", "others"])
def test_no_function_of_the_environment_is_a_macro(
    module: str, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, folder = tmp_path / "ran", tmp_path / "modules"
    folder.mkdir()
    (folder / f"{module}.py").write_text(f"open({str(ran)!r}, 'w')\nfunctions = {{}}\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("KCONFIG_FUNCTIONS", module)
    assert findings(tree, tmp_path, "CONFIG_NET_FAST=y\n") == {}
    assert not ran.exists()


def test_macros_that_only_read_are_taken(tree: Path, tmp_path: Path) -> None:
    kconfig = tree / "components" / "net" / "Kconfig"
    lines = 'NAME := one\nconfig NET_LINE\n    string "a"\n    default "$(NAME)$(lineno)"\n'
    kconfig.write_text(lines + NET_KCONFIG, encoding="utf-8")
    assert judged(tree, tmp_path, "").value("NET_LINE") == "one4"


def test_what_is_no_tree(tree: Path, tmp_path: Path) -> None:
    assert tree_version(tree) == "5.5.1"
    assert tree_version(tmp_path) == ""
    (tree / "Kconfig").write_text("config\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        findings(tree, tmp_path, "CONFIG_NET_FAST=y\n")
    assert str(tree) in caught.value.message
    with pytest.raises(InputError, match="no ESP-IDF"):
        findings(tmp_path, tmp_path, "CONFIG_NET_FAST=y\n")


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kconfig_tree.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(HeapscopeError, match="not installed") as caught:
        findings(tmp_path, tmp_path, "CONFIG_NET_FAST=y\n")
    assert 'pip install "esp-idf-kconfig' in caught.value.remedy
