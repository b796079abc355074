"""The command without a verb: each thing is known by its bytes, and answered."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

import heapscope
from heapscope.base.errors import InputError
from heapscope.cli.app import app
from heapscope.cli.old_verbs import renamed
from heapscope.cli.own_verbs import NAMES
from heapscope.cli.schemas import schema_of
from heapscope.cli.verbs.import_ import FORMATS, form_of
from heapscope.trace.things.answer import ThingAnswer
from heapscope.trace.things.thing import kinds_of

from .things import CONFIG, LOG, THINGS, make


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.output


def text_of(answer: ThingAnswer) -> str:
    figures = (f"{one.name} {one.text}" for one in answer.figures)
    return "\n".join([answer.what, answer.answer, *figures, *answer.notes])


@pytest.mark.parametrize("name", THINGS)
def test_a_thing_is_known_by_its_bytes_and_answered(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, path = THINGS[name], make(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    result = heapscope.thing(name)
    (answer,) = result.things
    assert answer.kind == built.kind, answer
    assert built.says in text_of(answer)
    assert answer.answer.endswith(".")
    assert 0 < len(answer.answer) < 400
    assert [one.what for one in answer.also] == list(built.also)
    commands = [" ".join(one.words) for one in answer.next]
    assert not built.next or commands[0].startswith(built.next), commands
    assert len(commands) <= 2
    assert len(answer.figures) <= 3
    assert bool(result.understood) == (built.kind in ("unknown", "empty"))
    jsonschema.validate(json.loads(json.dumps(result.to_json())), schema_of("thing"))
    assert path.exists()


def test_the_next_commands_are_of_verbs_that_are_there() -> None:
    for built in THINGS.values():
        verb = built.next.partition(" ")[0]
        assert not verb or verb in NAMES


def test_an_import_knows_the_form_by_the_first_bytes(tmp_path: Path) -> None:
    forms = {"log": "esp-idf", **{form: form for form in FORMATS}}
    for name, built in THINGS.items():
        if built.kind in ("folder", "build", "project"):
            continue
        folder = tmp_path / name
        folder.mkdir()
        path = make(name, folder)
        if built.kind in forms:
            assert form_of(path) == forms[built.kind], name
        else:
            with pytest.raises(InputError) as refused:
                form_of(path)
            assert "--from FORMAT" in refused.value.remedy


def test_a_trace_without_a_memory_says_what_it_holds_and_with_one_how_close_it_came(
    make_trace: object, tmp_path: Path
) -> None:
    make = make_trace
    path = make("t net", "a 1 1000", "a 2 300000", "f 1")  # type: ignore[operator]
    (held,) = heapscope.thing(path).things
    assert held.kind == "trace"
    assert "301,000 B" in text_of(held)
    (replayed,) = heapscope.thing(path, chip="esp32", idf="5.5").things
    assert "failed" in text_of(replayed)
    assert "minimum free" in text_of(replayed)
    assert replayed.next[0].words == ("why", str(path), "--chip", "esp32", "--idf", "5.5")


def test_two_of_a_kind_are_compared(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text(CONFIG, encoding="utf-8")
    second.write_text(f"{CONFIG}CONFIG_LWIP_TCP_WND_DEFAULT=5760\n", encoding="utf-8")
    (answer,) = heapscope.thing(first, second).things
    assert answer.thing == f"{first}, {second}"
    assert answer.next[0].words[:3] == ("compare", str(first), str(second))
    (same,) = heapscope.thing(first, first).things
    assert same.answer == "Both have the same value of every option."


def test_two_logs_are_compared_and_a_trace_is_joined_with_a_log(
    make_trace: object, tmp_path: Path
) -> None:
    log, trace = tmp_path / "boot", make_trace("a 1 1000")  # type: ignore[operator]
    log.write_text(LOG, encoding="utf-8")
    (both,) = heapscope.thing(log, log).things
    assert both.kind == "log"
    assert both.next[0].words == ("compare", str(log), str(log))
    _, last = heapscope.thing(log, trace).things
    assert last.next[0].words == ("replay", str(trace), "--boot-log", str(log))


def test_two_builds_are_each_answered_by_themselves(tmp_path: Path) -> None:
    path = make("q", tmp_path)
    first, second = heapscope.thing(path, path).things
    assert first.kind == second.kind
    assert "by itself" in second.notes[-1]


def test_a_trace_that_names_its_chip_is_replayed_on_that(tmp_path: Path) -> None:
    events, trace = tmp_path / "events.txt", tmp_path / "T.hst"
    events.write_text("% chip esp32c3\na 1 1000\nf 1\n", encoding="ascii")
    heapscope.import_(events, trace)
    (answer,) = heapscope.thing(trace).things
    assert "esp32c3" in answer.what
    assert [one.name for one in answer.figures] == ["failed requests", "minimum free", "live peak"]
    assert answer.next[0].words == ("replay", str(trace), "--chip", "esp32c3")


def test_a_port_is_named_and_not_opened() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        port = f"tcp:127.0.0.1:{server.getsockname()[1]}"
        (answer,) = heapscope.thing(port).things
        assert answer.kind == "port"
        assert answer.next[0].words[:2] == ("live", port)
        with pytest.raises(BlockingIOError):
            server.accept()
    with pytest.raises(InputError, match="not a port number"):
        heapscope.thing("udp:many")


def test_a_pipe_that_nobody_writes_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (answer,) = heapscope.thing(tmp_path / "pipe").things
    assert answer.kind == "stream"
    assert "not opened" in answer.answer
    (device,) = heapscope.thing("/dev/zero").things
    assert device.kind == "stream"


def test_a_file_without_an_end_in_sight_is_named_by_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "long"
    with path.open("wb") as file:
        file.write(LOG.encode())
        file.truncate(1 << 32)
    (answer,) = heapscope.thing(path).things
    assert answer.kind in ("log", "memory")
    assert not answer.figures


def test_standard_input_is_a_thing() -> None:
    done = CliRunner().invoke(app, ["-", "--need", "12289"], input=LOG)
    assert done.exit_code == 0
    assert "12,289 B would not fit" in done.output


def test_a_thing_that_is_not_there_is_no_verb_and_a_mistyped_verb_is_no_thing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("device.log").write_text(LOG, encoding="utf-8")
    code, output = run("devise.log")
    assert code == 2
    assert "no such file" in output
    assert "did you mean device.log?" in output
    code, output = run("replya", "T.hst")
    assert code == 2
    assert "Did you mean 'replay'?" in output
    code, output = run("device.log", "nowhere.log")
    assert code == 2
    assert "nowhere.log: no such file" in output
    Path("replya").write_text(LOG, encoding="utf-8")
    assert run("replya")[0] == 0


def test_a_thing_that_is_not_understood_gets_the_list_and_exit_code_1(tmp_path: Path) -> None:
    path = tmp_path / "prose"
    path.write_text("To be, or not to be.\n", encoding="utf-8")
    code, output = run(str(path))
    assert code == 1
    assert "a log of mtrace" in output
    assert "= Start" in output
    code, output = run(str(path), "--json", "-")
    assert code == 1
    assert json.loads(output)["things"][0]["kind"] == "unknown"


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("info T.hst", "replay T.hst"),
        ("explorer -o page.html", "report -o page.html"),
        ("pools 'my pools.hst' --json -", "fit 'my pools.hst' --json - --pools"),
        ("diff a b", "compare a b"),
        ("ladder a b c", "compare a b c"),
        ("upgrade T.hst --from 4.2 --to=5.5", "compare T.hst --idf 4.2 --idf=5.5 --parts"),
    ],
)
def test_the_name_that_a_verb_had_gives_the_new_command(line: str, new: str) -> None:
    import shlex

    name, *given = shlex.split(line)
    error = renamed(name, given)
    assert error is not None
    assert error.remedy == f"heapscope {new}"
    code, output = run(name, *given)
    assert code == 2
    assert f"remedy: heapscope {new}" in output


@pytest.mark.parametrize("size", [0, 1, 3, 51, 60, 200, 5000])
def test_no_beginning_of_a_file_is_too_short_or_damaged_to_be_named(size: int, seed: int) -> None:
    import random

    drawn = random.Random(seed + size)
    for built in THINGS.values():
        if callable(built.content):
            continue
        data = built.content.encode() if isinstance(built.content, str) else built.content
        damaged = bytearray(data[:size])
        for _ in range(min(3, len(damaged))):
            damaged[drawn.randrange(len(damaged))] = drawn.randrange(256)
        assert kinds_of(bytes(damaged), len(damaged))


def test_memory_with_its_address_is_answered_by_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ram").write_bytes(bytes(range(256)) * 16)
    code, text = run("ram@0x3fc80000")
    assert code == 0
    assert "memory at 0x3fc80000" in text
    assert "no heap in the 4,096 B" in " ".join(text.split())
    code, text = run("gdb:localhost:3333", "--chip", "esp32c3")
    assert code == 0
    assert "heapscope image gdb:localhost:3333 --chip esp32c3" in text
    assert run("none@0x3fc80000")[0] == 2
