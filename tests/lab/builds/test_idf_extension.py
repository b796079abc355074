"""The actions of idf.py, found by the entry point, chained on one line and run as it runs them."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from heapscope.capture.line_forms import import_text
from heapscope.cli.builds.idf_extension import action_extensions

ROOT = Path(__file__).resolve().parents[3]
IDF_PY = Path(__file__).with_name("idf_py.py")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that was built for an ESP32, with a trace and budgets."""
    build = tmp_path / "build"
    build.mkdir()
    reported = {"target": "esp32", "app_elf": "app.elf", "monitor_baud": "230400"}
    (build / "project_description.json").write_text(json.dumps(reported))
    shutil.copy(ROOT / "studies" / "workloads" / "static" / "firmware.elf", build / "app.elf")
    (tmp_path / "sdkconfig").write_text('CONFIG_IDF_TARGET="esp32"\n')
    (tmp_path / "T.txt").write_text("t net\na 1 1000\na 2 500\nf 1\n")
    import_text(tmp_path / "T.txt", tmp_path / "T.hst")
    (tmp_path / "heapscope.toml").write_text(
        '[memory]\nchip = "esp32"\nidf = "5.5"\n[budget]\nfailures = 0\n[[run]]\ntrace = "T.hst"\n'
    )
    return tmp_path


def idf_py(project: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(IDF_PY), *words],
        cwd=project,
        env={**os.environ, "ESP_IDF_VERSION": "5.5.1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_entry_point_is_the_only_one_of_its_value() -> None:
    values = [point.value for point in entry_points(group="idf_extension")]
    assert values.count("heapscope.cli.builds.idf_extension:action_extensions") == 1


def test_loading_the_extension_imports_no_library() -> None:
    script = (
        "import sys; import heapscope.cli.builds.idf_extension; "
        "print(*sorted({m.partition('.')[0] for m in sys.modules} - sys.stdlib_module_names))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT / "lab")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stdout.split()) <= {"__main__", "heapscope", "sitecustomize"}


def test_every_action_has_what_the_interface_wants() -> None:
    reported = action_extensions({}, ".")
    assert reported["version"] == "1"
    names = ["heap-report", "heap-check", "heap-live", "heap-lint", "heap-ram"]
    assert list(reported["actions"]) == names
    for action in reported["actions"].values():
        assert callable(action["callback"])
        assert action["help"].endswith(".")
        assert all(option["names"] for option in action.get("options", ()))


@pytest.mark.slow
def test_a_report_is_of_the_projects_chip_version_and_firmware(project: Path) -> None:
    done = idf_py(project, "heap-report", "--trace", "T.hst", "--need", "4KB", "-o", "report.md")
    assert done.returncode == 0, done.stderr
    text = (project / "report.md").read_text()
    assert "ESP32" in text
    assert "5.5.1" in text
    assert "4,096 B" in text


@pytest.mark.slow
def test_actions_are_chained_and_a_broken_budget_ends_the_line(project: Path) -> None:
    words = ("heap-check", "--json", "out.json", "heap-lint", "--sarif", "lint.sarif")
    done = idf_py(project, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((project / "out.json").read_text())["passed"] is True
    assert json.loads((project / "lint.sarif").read_text())["version"] == "2.1.0"

    budgets = (project / "heapscope.toml").read_text()
    (project / "heapscope.toml").write_text(f"{budgets}[run.budget]\nmin_free = '900KB'\n")
    (project / "lint.sarif").unlink()
    done = idf_py(project, *words)
    assert done.returncode == 1
    assert not (project / "lint.sarif").exists()


@pytest.mark.slow
def test_the_ram_is_that_of_the_last_build(project: Path) -> None:
    done = idf_py(project, "heap-ram", "--why", "g_lwip_pool", "-o", "ram.md")
    assert done.returncode == 0, done.stdout + done.stderr
    text = (project / "ram.md").read_text()
    assert "The ESP32 has 532,480 B of RAM" in text
    assert "| g_lwip_pool | DRAM | 0 | 0 | 9,216 | 9,216 |" in text


@pytest.mark.slow
def test_a_finding_of_lint_ends_with_1(project: Path) -> None:
    with (project / "sdkconfig").open("a") as file:
        file.write("CONFIG_NO_SUCH_OPTION=y\nCONFIG_LWIP_TCP_MSS=9000\n")
    done = idf_py(project, "heap-lint")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "LWIP_TCP_MSS" in done.stdout


@pytest.mark.slow
def test_live_hears_the_port_that_idf_py_was_given(project: Path) -> None:
    device, line = pty.openpty()
    done = idf_py(project, "-p", os.ttyname(line), "heap-live", "--seconds", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{os.ttyname(line)}: heard for 1.0 s" in done.stdout
    done = idf_py(project, "heap-live", "-p", "/dev/no-such-port")
    assert done.returncode == 2
    assert "/dev/no-such-port" in done.stderr
    os.close(device)
    os.close(line)


def test_live_without_a_port_says_how_to_name_one(project: Path) -> None:
    done = idf_py(project, "heap-live", ESPPORT="")
    assert (done.returncode, done.stderr.splitlines()[-2:]) == (
        2,
        ["error: heap-live: no port is named", "remedy: idf.py -p PORT heap-live"],
    )


@pytest.mark.slow
def test_a_projects_own_file_brings_the_actions_to_older_versions(project: Path) -> None:
    text = "from heapscope.cli.builds.idf_extension import action_extensions\n"
    (project / "idf_ext.py").write_text(text)
    assert idf_py(project, "-C", str(project), "heap-check").returncode == 0


@pytest.mark.slow
def test_a_project_without_a_build_tells_its_chip_and_the_version_by_files(project: Path) -> None:
    shutil.rmtree(project / "build")
    cmake = project / "idf" / "tools" / "cmake"
    cmake.mkdir(parents=True)
    lines = [
        f"set(IDF_VERSION_{name} {number})"
        for name, number in zip(("MAJOR", "MINOR", "PATCH"), (5, 3, 1), strict=True)
    ]
    (cmake / "version.cmake").write_text("\n".join(lines))
    variables = {"ESP_IDF_VERSION": "5.3", "IDF_PATH": str(project / "idf")}
    done = idf_py(project, "heap-report", "--trace", "T.hst", "-o", "report.md", **variables)
    assert done.returncode == 0, done.stderr
    assert "5.3.1" in (project / "report.md").read_text()
