"""The Python interface: each function gives the document that its command writes."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

import heapscope as hs
from heapscope.base.progress import ProgressStep
from heapscope.base.verb_result import VerbResult
from heapscope.cli.app import app
from heapscope.cli.verbs.shown import REPORTS
from heapscope.memory.options import DECLARED, MemoryOptions

ROOT = Path(__file__).resolve().parents[3]
EVENTS = (
    *("t net", "! start", "a 1 1000", "a 2 20000", "t script", "c 3 500", "r 3 700"),
    *("m 4 64 256", "! middle", "f 2", "a 5 600000", "f 1", "! end"),
)
CONFIG = 'CONFIG_IDF_TARGET="esp32"\nCONFIG_HEAP_TASK_TRACKING=y\n'
LOG = ROOT / "tests" / "lab" / "pools" / "pjsua.log"

TWO_ALLOCATORS = ("--allocator", "tlsf", "--allocator", "idf-4.2")
VERSIONS: Any = [{"idf": "4.2"}, {"idf": "5.5"}]
ESP32 = ("--chip", "esp32", "--idf", "5.5")

#: A command line without --json, and the call that answers the same question; behind a colon, which
#: question of a verb it is.
SAME: dict[str, tuple[tuple[str, ...], Callable[[], VerbResult]]] = {
    "replay: contents": (("T.hst",), lambda: hs.replay("T.hst")),
    "replay": (
        ("T.hst", *ESP32, "--need", "16717", "--need", "4KB:DMA", "--rtc", "off"),
        lambda: hs.replay("T.hst", chip="esp32", idf="5.5", need=[16717, "4KB:DMA"], rtc=False),
    ),
    "fit": (
        ("T.hst", "--allocator", "tlsf", "--margin", "10"),
        lambda: hs.fit("T.hst", allocator="tlsf", margin=10),
    ),
    "why": (
        ("T.hst", *ESP32, "--failure", "1"),
        lambda: hs.why("T.hst", chip="esp32", idf="5.5", failure=1),
    ),
    "leaks": (
        ("T.hst", "--begin", "start", "--pool", "64KB"),
        lambda: hs.leaks("T.hst", begin="start", pool=65536),
    ),
    "compare": (
        ("T.hst", "--chip", "esp32", "--idf", "4.2", "--idf", "5.5"),
        lambda: hs.compare("T.hst", chip="esp32", sides=VERSIONS),
    ),
    "compare: parts": (
        ("T.hst", "--chip", "esp32", "--idf", "4.2", "--idf", "5.5", "--parts", "--caps", "DMA"),
        lambda: hs.compare("T.hst", chip="esp32", sides=VERSIONS, parts=True, caps="DMA"),
    ),
    "export": (
        ("T.hst", "--to", "csv", "-o", "T.csv", "--pool", "64KB"),
        lambda: hs.export("T.hst", to="csv", out="T.csv", pool="64KB"),
    ),
    "report": (
        (
            "T.hst",
            "--pool",
            "64KB",
            "--allocator",
            "tlsf",
            "--allocator",
            "idf-4.2",
            "-o",
            "T.html",
        ),
        lambda: hs.report(
            "T.hst", pool="64KB", sides=[{"allocator": "tlsf"}, {"allocator": "idf-4.2"}]
        ),
    ),
    "place": (
        ("T.hst", *ESP32, "--psram", "4MB", "--psram-threshold", "off", "--slow", "20"),
        lambda: hs.place(
            "T.hst", chip="esp32", idf="5.5", psram="4MB", psram_threshold="off", slow=20
        ),
    ),
    "lint": (("sdkconfig",), lambda: hs.lint("sdkconfig")),
    "predict": (
        ("sdkconfig", "--tls", "1", "--rtt", "20"),
        lambda: hs.predict("sdkconfig", tls=1, rtt=20),
    ),
    "compare: configurations": (
        ("sdkconfig@5.1", "@5.5", "--tls", "1"),
        lambda: hs.compare("sdkconfig@5.1", "@5.5", tls=1),
    ),
    "compare: steps": (
        ("sdkconfig", "+CONFIG_LWIP_TCP_MSS=536", "--chip", "esp32"),
        lambda: hs.compare("sdkconfig", "+CONFIG_LWIP_TCP_MSS=536", chip="esp32"),
    ),
    "tune": (
        ("sdkconfig", "--goal", "tcp_rx>=5"),
        lambda: hs.tune("sdkconfig", goal=["tcp_rx>=5"]),
    ),
    "import": (
        ("T.hst.txt", "-o", "again.hst"),
        lambda: hs.import_("T.hst.txt", "again.hst"),
    ),
    "fit: pools": (("calls.hst", "--pools"), lambda: hs.fit("calls.hst", pools=True)),
}


@pytest.fixture
def here(make_trace: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_trace(*EVENTS)
    (tmp_path / "sdkconfig").write_text(CONFIG, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    hs.import_(LOG, "calls.hst", form="pjsip")
    return tmp_path


@pytest.mark.cells(3)
@pytest.mark.parametrize("verb", SAME)
def test_a_function_gives_the_document_of_its_command(verb: str, here: Path) -> None:
    arguments, call = SAME[verb]
    command = verb.partition(":")[0]
    done = CliRunner().invoke(app, [command, *arguments, "--json", "out.json"])
    assert done.exit_code in (0, 1), done.output
    written = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(call().to_json())) == written


@pytest.mark.cells(6)
@pytest.mark.parametrize("verb", SAME)
def test_a_notebook_and_a_console_show_what_the_command_prints(verb: str, here: Path) -> None:
    result = SAME[verb][1]()
    html = result._repr_html_()
    assert html is not None
    assert html.startswith("<pre>")
    assert len(html) > 40
    target = Console(width=110, record=True, file=StringIO())
    target.print(result)
    assert target.export_text().strip()


def test_every_verb_of_the_command_line_has_a_function() -> None:
    group: Any = typer.main.get_command(app)
    functions = {name.rstrip("_") for name in hs.__all__}
    assert set(group.commands) - functions <= {"experiment"}
    assert all(
        callable(getattr(hs, name))
        for name in hs.__all__
        if name not in {"GROUPS", "VERBS", "__version__"}
    )


def test_every_option_of_the_memory_is_one_of_every_verb_that_replays() -> None:
    group: Any = typer.main.get_command(app)
    for verb in ("replay", "why", "leaks", "compare", "export", "report", "place"):
        taken = {param.name for param in group.commands[verb].params}
        assert set(DECLARED) <= taken
    assert list(get_type_hints(MemoryOptions)) == list(DECLARED)


def test_every_result_has_its_report() -> None:
    from importlib import import_module

    for module, name in REPORTS.values():
        assert callable(getattr(import_module(f"heapscope.render.{module}"), name))


# ---- what a caller does wrong --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: hs.replay("none.hst", pool="64KB"), "none.hst"),
        (lambda: hs.replay("T.hst", chip="esp23"), "unknown chip 'esp23'"),
        (lambda: hs.replay("T.hst", chpi="esp32"), "unknown option 'chpi'"),
        (lambda: hs.replay("T.hst", pool="64KB", cores=1), "--pool and --cores"),
        (lambda: hs.replay("T.hst", chip="esp32", cores=3), "--cores: '3'"),
        (lambda: hs.compare("T.hst", pool="64KB"), "nothing to compare"),
        (lambda: hs.compare("T.hst", sides=[{"pool": "64KB"}]), "nothing to compare"),
        (lambda: hs.report("T.hst", "T.hst", sides=[{}, {}, {}], pool="64KB"), "2 traces"),
        (lambda: hs.compare("T.hst", chip="esp32", parts=True), "no version differs"),
        (lambda: hs.compare("sdkconfig", "@5.1", need=[1]), "--need is for comparing replays"),
        (lambda: hs.compare("sdkconfig", "T.hst"), "a configuration and a trace"),
        (lambda: hs.compare("T.hst", "sdkconfig"), "T.hst and sdkconfig: a trace and a conf"),
        (lambda: hs.export("T.hst", to="csv", out="T.csv", weight="total"), "--weight"),
        (
            lambda: hs.import_("T.hst.txt", "x.hst", chip="esp32", form="text"),
            "--chip says nothing",
        ),
        (lambda: hs.lint("sdkconfig", chip="esp23"), "unknown chip 'esp23'"),
    ],
)
def test_an_input_that_cannot_be_used_is_an_input_error(
    call: Callable[[], object], text: str, here: Path
) -> None:
    with pytest.raises(hs.InputError, match=re.escape(text)):
        call()


# ---- results -------------------------------------------------------------------------------------


def test_two_results_are_compared_as_their_files_are(here: Path) -> None:
    left, right = (hs.replay("T.hst", pool=pool) for pool in ("64KB", "32KB"))
    both = hs.compare("T.hst", sides=[{"pool": "64KB"}, {"pool": "32KB"}])
    assert hs.compare(left, right) == both
    with pytest.raises(hs.InputError, match="not with a trace"):
        hs.compare(left, "T.hst")
    with pytest.raises(hs.InputError, match="without options"):
        hs.compare(left, right, pool="64KB")


def test_a_table_becomes_a_data_frame(here: Path) -> None:
    result = hs.replay("T.hst", chip="esp32", idf="5.5")
    assert result.to_polars()["size"].to_list() == [row.size for row in result.regions]
    assert result.to_polars("tasks").height == len(result.tasks)
    assert hs.fit("T.hst", allocator="tlsf").to_polars().height == 1
    with pytest.raises(hs.InputError, match="no table 'task'") as raised:
        result.to_polars("task")
    assert "did you mean tasks?" in raised.value.remedy


def test_without_polars_the_extra_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(hs.InputError, match="not installed") as raised:
        hs.replay("T.hst", pool="64KB").to_polars()
    assert 'pip install "polars' in raised.value.remedy


def test_progress_tells_the_steps_of_the_work(here: Path) -> None:
    steps: list[ProgressStep] = []
    hs.why("T.hst", pool="16KB", progress=steps.append)
    counts = [step.done for step in steps if step.what == "replays with changes"]
    assert counts == list(range(1, len(counts) + 1))
    assert all(step.parts for step in steps)


# ---- the package ---------------------------------------------------------------------------------


def test_a_function_keeps_its_name_beside_the_folder_of_that_name() -> None:
    script = """
import heapscope.simulation.replay.run, heapscope.answers.fit.fit_trace
import heapscope as hs
from heapscope.simulation.replay.run import replay
assert hs.replay is not replay and hs.replay.__module__ == "heapscope.cli.verbs.replay"
assert callable(hs.fit) and "fit" in dir(hs) and not hasattr(hs, "nothing")
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("name", [*hs.VERBS, "thing", "widget", "tune_ranks", "sweep_show"])
def test_help_shows_types_and_no_options_of_the_command_line(name: str) -> None:
    shown = str(inspect.signature(getattr(hs, name)))
    for word in ("Annotated", "Option", "Unpack", "Trace'"):
        assert word not in shown.replace("MemoryOptions", ""), shown


def test_the_package_imports_nothing_heavy() -> None:
    script = """
import sys, heapscope
heavy = {"scipy", "bokeh", "polars", "numpy", "rich", "typer", "cffi"}
loaded = {name.partition(".")[0] for name in sys.modules}
assert not heavy & loaded, heavy & loaded
"""
    subprocess.run([sys.executable, "-c", script], check=True)


# ---- the guide -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_examples_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    (tmp_path / "studies").symlink_to(ROOT / "studies")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert Path("upgrade.html").is_file()
    assert Path("demo.pftrace").is_file()
