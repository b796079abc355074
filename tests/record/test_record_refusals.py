"""A program that cannot be recorded is refused before it runs; one that is linked with the object
can be recorded."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from needs import need_root
from recording.programs import Build, Recorded, events_of

from heapscope.base.errors import HeapscopeError, InputError
from heapscope.capture.record.objects import Objects

MALLOC = 1


def refusal(recorded: Recorded, *command: object, **settings: object) -> InputError:
    with pytest.raises(InputError) as caught:
        recorded(*command, **settings)
    return caught.value


def test_a_static_program_is_reported_which_object_to_link(
    build: Build, recorded: Recorded
) -> None:
    error = refusal(recorded, build("endless", "-static"))
    linked = Objects().linked(8)
    assert "linked statically" in error.message
    assert f"{linked.object} @{linked.options}" in error.remedy
    assert linked.object.is_file()
    assert linked.options.is_file()


def test_a_static_program_with_the_object_is_recorded(build: Build, recorded: Recorded) -> None:
    linked = Objects().linked(8)
    program = build("endless", "-static", str(linked.object), f"@{linked.options}")
    (image,) = recorded(program, 1000).images
    sizes = [int(e["size"]) for e in events_of(image) if e["kind"] == MALLOC]
    assert sizes[-1000:] == list(range(1, 1001))  # before them what the C library asked


def test_a_setuid_program_is_refused(build: Build, recorded: Recorded, tmp_path: Path) -> None:
    program = tmp_path / "privileged"
    shutil.copy(build("endless"), program)
    need_root()  # a program that is setuid to ourselves gains nothing
    os.chown(program, 12345, -1)
    program.chmod(0o4755)
    error = refusal(recorded, program)
    assert "is setuid" in error.message
    assert "cp " in error.remedy


def test_what_is_no_program_is_refused(recorded: Recorded, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("hello\n")
    assert "may not be run" in refusal(recorded, text).message
    text.chmod(0o755)
    assert "is not a program of this machine" in refusal(recorded, text).message
    assert "no such file" in refusal(recorded, tmp_path / "none").message
    assert "on PATH" in refusal(recorded, "no-such-program").message
    assert "is a folder" in refusal(recorded, tmp_path / ".").message


def test_an_output_that_cannot_be_written_is_refused_before_the_program_runs(
    build: Build, recorded: Recorded, tmp_path: Path
) -> None:
    error = refusal(recorded, build("endless"), out=tmp_path / "none" / "T.hst")
    assert "cannot be written" in error.message


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(HeapscopeError) as caught:
        Objects().preload(4)
    assert "there is no C compiler" in caught.value.message
    assert "pip install ziglang" in caught.value.remedy
