"""The command prints completion for shells, its manual, and what builds include."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest
import typer
from needs import need_program
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.man_page import man_page
from heapscope.cli.print_file import NAMES

ROOT = Path(__file__).resolve().parents[3]
CHIPS = ["esp32c2", "esp32c3", "esp32c5", "esp32c6", "esp32c61"]
REPORTING = ["replay", "report"]


def printed(name: str) -> str:
    done = CliRunner().invoke(app, ["--print", name])
    assert done.exit_code == 0, done.output
    return done.output


def environment(folder: Path) -> dict[str, str]:
    """The shell finds this command, and nobody's own settings."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"}


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_every_name_prints_a_file(name: str) -> None:
    assert printed(name).strip()


def test_a_schema_is_printed_by_the_name_of_its_document() -> None:
    names = printed("schema").split()
    assert names == sorted(names)
    assert {"replay", "import-esp-idf", "experiment"} <= set(names)
    for words in (["--print", "schema", "replay"], ["--print", "schema replay"]):
        schema = json.loads(CliRunner().invoke(app, words).stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["title"] == "heapscope replay --json"


def test_a_schema_that_is_not_there_gets_the_nearest_name() -> None:
    done = CliRunner().invoke(app, ["--print", "schema", "repla"])
    assert done.exit_code == 2
    assert "did you mean replay?" in done.output


def test_another_name_is_refused_with_those_that_there_are() -> None:
    done = CliRunner().invoke(app, ["--print", "bsh"])
    assert done.exit_code == 2
    assert "did you mean bash? valid: bash, zsh" in done.output


BASH = """\
source {script}
ask() {{
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _heapscope_completion heapscope
    echo "${{COMPREPLY[@]}}"
}}
ask heapscope rep
ask heapscope replay T.hst --chip esp32c
complete -p heapscope
"""


def test_bash_completes_verbs_and_values(tmp_path: Path) -> None:
    script = tmp_path / "completion.bash"
    script.write_text(printed("bash"))
    stated = run(["bash", "--norc", "-c", BASH.format(script=script)], tmp_path)
    verbs, chips, registered = stated.splitlines()
    assert verbs.split() == REPORTING
    assert chips.split() == CHIPS
    assert registered == "complete -o default -F _heapscope_completion heapscope"


@pytest.mark.slow
def test_fish_completes_verbs_values_and_files(tmp_path: Path) -> None:
    script = tmp_path / "completion.fish"
    script.write_text(printed("fish"))
    (tmp_path / "T.hst").touch()
    requested = ("heapscope rep", "heapscope replay T.hst --chip esp32c", "heapscope replay T")
    lines = "; echo =; ".join(f'complete -C "{line}"' for line in requested)
    fish = need_program("fish", package="fish")
    stated = run([fish, "--no-config", "-c", f"source {script}; {lines}"], tmp_path)
    answers = [
        [line.partition("\t")[0] for line in part.splitlines() if line]
        for part in stated.split("=")
    ]
    assert answers == [REPORTING, CHIPS, ["T.hst"]]


@pytest.mark.slow
def test_zsh_completes_what_is_typed(tmp_path: Path) -> None:
    script = tmp_path / "completion.zsh"
    script.write_text(printed("zsh"))
    zsh = [need_program("zsh", package="zsh"), "-f", "-i"]
    begin = f"autoload -Uz compinit; compinit -u -D; source {script}; echo rea''dy\n"
    stated = typed(zsh, tmp_path, [(begin, "ready")], "heapscope transl\t")
    assert "heapscope translate" in stated
    chip = "heapscope replay T.hst --chip esp32c6\t"
    stated = typed(zsh, tmp_path, [(begin, "ready")], chip)
    assert "esp32c61" in stated


def typed(
    command: list[str], folder: Path, before: list[tuple[str, str]], line: str, seconds: float = 60
) -> str:
    """The text that a terminal shows after the line is typed. `before`: lines, and the shell's
    answers."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(command[0], command, environment(folder))
    shown = ""

    def read(until: str) -> None:
        nonlocal shown
        end = time.monotonic() + seconds
        while until not in shown and time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 4096).decode("utf-8", "replace")
        shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x08|\x07|\r", "", shown)

    try:
        for stated, answer in before:
            os.write(terminal, stated.encode())
            read(answer)
        shown = ""
        os.write(terminal, line.encode())
        read("translate" if "transl" in line else "esp32c61")
        return shown
    finally:
        os.write(terminal, b"\x03\x04exit\n")
        os.close(terminal)
        os.waitpid(process, 0)


def test_powershell_is_answered_as_its_script_asks(tmp_path: Path) -> None:
    """PowerShell itself is in no registry, so that its script was never run."""
    script = printed("powershell")
    requested = {"_HEAPSCOPE_COMPLETE": "complete_powershell"}
    requested |= {
        "_TYPER_COMPLETE_ARGS": "heapscope rep",
        "_TYPER_COMPLETE_WORD_TO_COMPLETE": "rep",
    }
    assert all(f"$Env:{name} = " in script for name in requested)
    done = subprocess.run(
        [sys.executable, "-m", "heapscope"],
        env=environment(tmp_path) | requested,
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line.split(":::")[0] for line in done.stdout.splitlines()] == REPORTING


def test_the_manual_has_every_verb_and_every_option() -> None:
    page = re.sub(r"\\-", "-", printed("man"))
    group = typer.main.get_command(app)
    for name in group.list_commands(None):  # type: ignore[attr-defined]
        assert f'.SS "heapscope {name} ' in page
        command = group.get_command(None, name)  # type: ignore[attr-defined]
        for param in command.params:
            flags = param.opts if param.param_type_name == "option" else []
            assert all(re.search(rf"^\.B .*{flag}\b", page, re.MULTILINE) for flag in flags), name


def test_the_manual_has_no_line_that_man_warns_of(tmp_path: Path) -> None:
    page = tmp_path / "heapscope.1"
    page.write_text(man_page(typer.main.get_command(app)), encoding="utf-8")
    need_program("groff", package="groff-base")
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z", str(page)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
