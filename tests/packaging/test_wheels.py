"""Both distributions as wheels: the product has nothing of the studies, which add a verb to it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from .conftest import path, tool

ROOT = Path(__file__).resolve().parents[2]

#: Bytes of the product's wheel, built for its size. The options of 14 releases have 0.23 million.
#: Before them, with the studies in it, it had 1.7 million. The engine of pages has 0.16 million;
#: budgets, plans, perturbed runs and extras have 0.1 million; images of memory, the RAM of a build,
#: the tables of Wi-Fi and of ROMs, and series of weeks made it 3.02 million. All of it
#: had 3.13 million with fleets and the linker fragments; 44 models of other heaps were added then.
PRODUCT_MAX = 3_300_000

#: A captured trace is there, and the player plays.
USES_THE_STUDIES = """
from heapscope_studies.captured import captured_trace
from heapscope_studies.script_heap.parts import open_tenants
from heapscope_studies.week import Actor, NativeWeek, WeekHeap
import numpy as np
from heapscope_studies.week import TURN

assert captured_trace("ice_default").is_file()
with open_tenants() as tenants:
    heap = WeekHeap(allocator="idf-5.5", size=1 << 20, base=0x3F80_0000)
    with NativeWeek([Actor(trace=tenants.script.steps)], [heap]) as week:
        turns = np.zeros(1, TURN)
        turns["count"] = 1000
        week.play(turns)
        assert week.totals().steps == 1000
"""


@dataclass(frozen=True)
class Wheels:
    product: Path
    studies: Path


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    """Built without optimisation, which takes a few seconds, from this tree."""
    built = tmp_path_factory.mktemp("wheels")
    python = tool("python")
    for folder, name in ((ROOT, "product"), (ROOT / "studies", "studies")):
        settings = {
            "build-dir": str(tmp_path_factory.mktemp(name)),
            "cmake.build-type": "Debug",
            "cmake.define.CMAKE_C_FLAGS_DEBUG": "",
        }
        python(
            *("-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps"),
            *("--no-build-isolation", "--wheel-dir", built, folder),
            *(f"--config-settings={key}={value}" for key, value in settings.items()),
        )
    (product,), (studies,) = built.glob("heapscope-*.whl"), built.glob("heapscope_studies-*.whl")
    return Wheels(product, studies)


def names(wheel: Path) -> list[str]:
    with ZipFile(wheel) as archive:
        return archive.namelist()


def read(wheel: Path, name: str) -> str:
    with ZipFile(wheel) as archive:
        (result,) = (one for one in archive.namelist() if one.endswith(name))
        return archive.read(result).decode("utf-8")


@pytest.mark.slow
def test_the_product_has_nothing_of_the_studies(wheels: Wheels, version: str) -> None:
    product = names(wheels.product)
    assert f'"heapscope {version}"' in read(wheels.product, "man1/heapscope.1").splitlines()[0]
    assert "heapscope/native/declarations.py" in product
    assert "heapscope/native/engine.wasm" in product
    ours = re.compile(r"heapscope(/|-[\d.]+\.(dist-info|data)/)")
    assert [name for name in product if not ours.match(name)] == []
    shared = {name.partition(".data/data/")[2] for name in product if ".data/" in name}
    assert shared == {
        "share/man/man1/heapscope.1",
        "share/cmake/heapscope-lab/heapscope-lab-config.cmake",
    }
    foreign = re.compile(r"\.hst|captured|experiment|measured/|week|stud(y|ies)")
    assert [name for name in product if foreign.search(name)] == []
    assert wheels.product.stat().st_size < PRODUCT_MAX


@pytest.mark.slow
def test_the_studies_have_data_traces_and_player(wheels: Wheels, version: str) -> None:
    studies = names(wheels.studies)
    captured = {path.name for path in (ROOT / "studies/workloads/captured").glob("*.hst.zst")}
    assert {f"heapscope_studies/captured/{name}" for name in captured} <= set(studies)
    assert "heapscope_studies/data/heap_change_boot.txt" in studies
    assert "heapscope_studies/week.h" in studies
    assert "Permission is hereby granted" in read(wheels.studies, "licenses/LICENSE")
    described = read(wheels.studies, "dist-info/METADATA")
    assert f"\nVersion: {version}\n" in described
    assert f"\nRequires-Dist: heapscope[report]=={version}\n" in described


Run = Callable[..., "subprocess.CompletedProcess[str]"]


def environment(folder: Path) -> Path:
    """An environment of Python that has what is installed beside this Python, by links, without our
    own distributions."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = sysconfig.get_path("purelib", vars={"base": str(folder)}, scheme="venv")
    for one in Path(sysconfig.get_path("purelib")).iterdir():
        if not re.match(r"heapscope|_editable|__editable__|__pycache__", one.name):
            (Path(site) / one.name).symlink_to(one)
    return folder / "bin" / "python"


def installed(python: Path, *wheels: Path) -> Run:
    """Runs this Python, with these wheels in it."""
    texts = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
    given = ["install", "--quiet", "--no-index", *map(str, wheels)]
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONPATH", "HEAPSCOPE_LIBRARY"}
    }
    done = subprocess.run([*texts, *given], capture_output=True, text=True, check=False, env=clean)
    assert done.returncode == 0, done.stderr

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(python), *args],
            cwd=python.parent,
            capture_output=True,
            text=True,
            check=False,
            env={**clean, "PATH": path(), "COLUMNS": "100"},
        )

    return run


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.slow
def test_each_installed_alone_and_both_together(wheels: Wheels, tmp_path: Path) -> None:
    python = environment(tmp_path / "venv")
    run = installed(python, wheels.product)
    assert run("-c", "import heapscope_studies").returncode == 1
    done = run("-m", "heapscope", "experiment", "ice-pools")
    assert (done.returncode, done.stdout) == (2, "")
    assert "part of heapscope-studies, which is not installed" in done.stderr
    assert run("-m", "heapscope", "fit", "--help").returncode == 0

    run = installed(python, wheels.studies)
    done = run("-m", "heapscope", "experiment", "no-such")
    assert done.returncode == 2
    names = ("heap-change", "ice-pools", "memory-ladders", "script-heap", "tls-ladder", "wifi-path")
    assert f"valid: {', '.join(names)}" in done.stderr
    done = run("-m", "heapscope", "experiment", "ice-pools")
    assert (done.returncode, done.stderr) == (0, "")
    assert "The pools of an ICE call" in done.stdout
    done = run("-c", USES_THE_STUDIES)
    assert (done.returncode, done.stderr) == (0, "")
