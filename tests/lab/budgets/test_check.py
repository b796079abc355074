"""Budgets are judged by the figures of the verbs, and what cannot be told is not kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.lab.budgets.conftest import POOL, Check, rows
from tests.lab.conftest import MakeTrace
from typer.testing import CliRunner

import heapscope
from heapscope.cli.app import app
from heapscope.fleet.budgets.check_result import BROKEN, KEPT, UNKNOWN

LINES = ("t net", "a 1 1000", "a 2 20000", "t ui", "a 3 5000", "f 2", "f 1", "a 4 100")
RUN = '[[run]]\nname = "short"\ntrace = "T.hst"\n'


def test_every_figure_is_the_one_of_its_verb(make_trace: MakeTrace, checked: Check) -> None:
    trace = make_trace(*LINES)
    replay = heapscope.replay(trace, pool="64KB", allocator="tlsf", need=[30000])
    fit = heapscope.fit(trace, allocator="tlsf")[0]
    budgets = (
        "[budget]\nmin_free = 1\nneed = 30000\nfailures = 0\n[budget.task]\nnet = 1\nui = 1\n"
        "[budget.fit]\ntlsf = 64\n"
    )
    result = rows(checked(POOL + budgets + RUN))
    held = {row.task: row.held_peak for row in replay.tasks}
    assert result["min_free"].value == replay.malloc.minimum_free
    assert result["need:30000"].value == replay.needs[0].worst_largest
    assert result["failures"].value == 0
    assert result["task:net"].value == held["net"]
    assert result["task:ui"].value == held["ui"]
    assert result["fit:tlsf"].value == fit.pool


@pytest.mark.parametrize(("more", "status"), [(0, KEPT), (1, BROKEN)])
def test_a_budget_is_broken_one_byte_beyond_its_limit(
    make_trace: MakeTrace, checked: Check, more: int, status: str
) -> None:
    trace = make_trace(*LINES)
    free = heapscope.replay(trace, pool="64KB", allocator="tlsf").malloc.minimum_free
    result = checked(f"{POOL}[budget]\nmin_free = {free + more}\n{RUN}")
    assert rows(result)["min_free"].status == status
    assert result.passed is (status == KEPT)


@pytest.mark.parametrize(("pool", "status"), [("64KB", KEPT), ("8KB", BROKEN)])
def test_a_pool_that_is_large_enough_needs_one_replay(
    make_trace: MakeTrace, checked: Check, pool: str, status: str
) -> None:
    make_trace(*LINES)
    text = f'{POOL}[budget.fit]\ntlsf = "{pool}"\n{RUN}'
    assert rows(checked(text))["fit:tlsf"].status == status


def test_a_broken_budget_names_who_caused_it(make_trace: MakeTrace, checked: Check) -> None:
    make_trace(*LINES, "a 9 60000", "t net", "a 10 61000")
    result = rows(checked(f'{POOL}[budget]\nfailures = 0\nmin_free = "60KB"\n{RUN}'))
    assert result["failures"].task == "ui"
    assert "malloc of 60,000 B" in result["failures"].cause
    assert result["min_free"].task == "net"
    assert result["min_free"].sentence.endswith("the budget is at least 61,440 B.")


def test_a_leak_breaks_its_budget_and_is_counted_by_its_mark(
    make_trace: MakeTrace, checked: Check
) -> None:
    lines = []
    for number in range(400):
        lines += [] if number % 10 else ["! loop"]
        lines += [f"a {3 * number} 48", f"a {3 * number + 1} 100", f"f {3 * number + 1}"]
        lines += [f"a {3 * number + 2} 9", f"f {3 * number + 2}"]
        lines += [] if number % 5 == 0 else [f"f {3 * number}"]
    make_trace("t net", *lines)
    result = rows(
        checked(
            f'{POOL}[budget]\nleak = "0 B/round"\n{RUN}[run.budget.leak]\nloop = "200 B/round"\n'
        )
    )
    assert result["leak"].status == BROKEN
    assert result["leak"].task == "net"
    assert result["leak"].value == pytest.approx(96, rel=0.15)
    assert result["leak:loop"].status == KEPT
    assert result["leak:loop"].value == pytest.approx(96, rel=0.15)


def test_a_leak_that_cannot_be_told_yet_keeps_no_budget(
    make_trace: MakeTrace, checked: Check
) -> None:
    """One plateau beside it once made the budget kept."""
    lines = ["t main", "a 0 288", "t net"]
    for number in range(1, 200):
        lines += [f"a {2 * number} 48", f"a {2 * number + 1} 100", f"f {2 * number + 1}"]
        lines += [] if number in (90, 120, 150, 198) else [f"f {2 * number}"]
    make_trace(*lines)
    row = rows(checked(f'{POOL}[budget]\nleak = "0 B/1000 events"\n{RUN}'))["leak"]
    assert row.status == UNKNOWN
    assert "task 'net'" in row.sentence
    assert "4 of 398 blocks were never freed" in row.sentence
    kept = rows(checked(f'{POOL}[budget]\nleak = "9 KB/1000 events"\n{RUN}'))["leak"]
    assert kept.status == KEPT  # it would be, if all of that leaked


def test_every_face_names_the_holder_that_cannot_be_told(
    make_trace: MakeTrace, tmp_path: Path
) -> None:
    lines = ["t net"]
    for number in range(1, 200):
        lines += [f"a {number} 48", *([] if number in (90, 120, 150, 198) else [f"f {number}"])]
    make_trace(*lines)
    file = tmp_path / "heapscope.toml"
    file.write_text(f'{POOL}[budget]\nleak = "0 B/1000 events"\n{RUN}')
    out = {
        name: tmp_path / f"out.{name}" for name in ("json", "junit", "sarif", "summary", "badge")
    }
    options = [part for name, path in out.items() for part in (f"--{name}", str(path))]
    done = CliRunner().invoke(app, ["check", str(file), *options])
    assert done.exit_code == 1, done.output
    assert done.output.startswith("It cannot be told whether 1 of 1 budget is kept.")
    texts = [done.output, *(out[name].read_text() for name in out if name != "badge")]
    for text in texts:
        assert "4 of 199 blocks were never freed" in " ".join(text.split())
    assert "1 unknown" in out["badge"].read_text()


def test_what_cannot_be_reported_is_not_kept(make_trace: MakeTrace, checked: Check) -> None:
    make_trace(*LINES)
    result = checked(
        POOL + RUN + '[run.budget]\nmatch_rate = "99%"\nmin_free.NOPE = 1\n'
        'task.nett = "1KB"\nsite.x = 9\nleak.loop = "0 B/round"\n'
    )
    assert {row.status for row in result.budgets} == {UNKNOWN}
    assert not result.passed
    assert "did you mean net?" in rows(result)["task:nett"].sentence


def test_a_loss_makes_a_kept_budget_unknown_and_leaves_a_broken_one(
    make_trace: MakeTrace, checked: Check
) -> None:
    trace = make_trace(*(f"a {n} 100" for n in range(60_000)), name="whole.hst")
    data = trace.read_bytes()
    trace.with_name("T.hst").write_bytes(data[: len(data) * 3 // 4])
    pool = '[memory]\npool = "8MB"\nallocator = "tlsf"\n'
    result = heapscope.replay(trace.with_name("T.hst"), pool="8MB", allocator="tlsf")
    if result.loss is None or result.loss.event == 0:
        pytest.fail("the damage should leave events before it")
    match = rows(checked(f'{pool}[budget]\nmin_free = "1KB"\nfailures = 0\n{RUN}'))
    assert {row.status for row in match.values()} == {UNKNOWN}
    match = rows(checked(f'{pool}[budget]\nmin_free = "8000KB"\n{RUN}'))
    assert match["min_free"].status == BROKEN


def test_a_budget_of_the_file_holds_where_its_task_is(
    make_trace: MakeTrace, checked: Check
) -> None:
    make_trace(*LINES)
    make_trace("t other", "a 1 10", name="U.hst")
    runs = RUN + '[[run]]\ntrace = "U.hst"\n'
    result = checked(f'{POOL}[budget.task]\nnet = "64KB"\n{runs}')
    assert [(row.run, row.status) for row in result.budgets] == [("short", KEPT)]


def test_several_chips_and_releases_are_runs_of_their_own(
    make_trace: MakeTrace, checked: Check
) -> None:
    make_trace(*LINES)
    result = checked(
        '[memory]\nchip = ["esp32", "esp32c3"]\nidf = ["5.3", "5.5"]\n[budget]\nfailures = 0\n'
        + RUN
    )
    memories = [row.memory for row in result.budgets]
    assert memories == [
        f"{chip}, ESP-IDF {idf}" for chip in ("esp32", "esp32c3") for idf in ("5.3", "5.5")
    ]


def test_a_log_and_a_configuration_are_judged(tmp_path: Path, checked: Check, logs: Path) -> None:
    log = tmp_path / "device.log"
    log.write_text("free=51200 largest=30000 min=40000\nmalloc failed: size 5000\n")
    (tmp_path / "sdkconfig.defaults").write_text('CONFIG_IDF_TARGET="esp32"\n')
    result = rows(
        checked(
            '[budget]\nmin_free = "20KB"\npredicted_free = "1KB"\n[[run]]\nlog = "device.log"\n'
            '[[run]]\nconfig = "sdkconfig.defaults"\nchip = "esp32"\nidf = "5.5"\n'
        )
    )
    answer = heapscope.log(log).answer
    value = result["min_free"].value
    assert value == (answer.min if answer.min is not None else value)
    states = heapscope.predict(tmp_path / "sdkconfig.defaults", chip="esp32", idf="5.5").states
    assert result["predicted_free"].value == min(one.dram.median for one in states.values())
    assert result["predicted_free"].status == KEPT


def test_the_command_exits_with_1_and_writes_every_form(
    make_trace: MakeTrace, tmp_path: Path
) -> None:
    make_trace(*LINES)
    file = tmp_path / "heapscope.toml"
    file.write_text(f'{POOL}[budget]\nmin_free = "60KB"\n{RUN}')
    out = {
        name: tmp_path / f"out.{name}" for name in ("json", "junit", "sarif", "summary", "badge")
    }
    options = [part for name, path in out.items() for part in (f"--{name}", str(path))]
    done = CliRunner().invoke(app, ["check", str(file), *options])
    assert done.exit_code == 1, done.output
    assert json.loads(out["json"].read_text())["passed"] is False
    assert "<failure" in out["junit"].read_text()
    assert json.loads(out["sarif"].read_text())["version"] == "2.1.0"
    assert out["summary"].read_text().startswith("1 of 1 budget is not kept.")
    assert out["badge"].read_text().startswith("<svg")
    file.write_text(f'{POOL}[budget]\nmin_free = "1KB"\n{RUN}')
    assert CliRunner().invoke(app, ["check", str(file)]).exit_code == 0


# ---- perturbed runs ------------------------------------------------------------------------------

VARIED = tuple(
    line
    for number in range(40)
    for line in (
        f"a {number} {1100 + 23 * number}",
        *([f"f {number - 4}"] * (number > 3)),
    )
)
TIGHT = '[memory]\npool = "20KB"\nallocator = "tlsf"\n'


def test_the_share_of_perturbed_runs_is_counted(make_trace: MakeTrace, checked: Check) -> None:
    from heapscope.memory.layout.pool import pool_layout
    from heapscope.simulation.jitter.replays import perturbed_replays
    from heapscope.simulation.jitter.runs import Jitter

    trace = make_trace("t net", *VARIED)
    layout = pool_layout(20 << 10, "tlsf")
    results = list(perturbed_replays(trace, layout, Jitter(runs=40, seed=3)))
    free = sorted(result.malloc.minimum_free for result in results)
    assert free[0] < free[20]
    text = f"{TIGHT}[jitter]\nruns = 40\nseed = 3\n[budget]\nmin_free = {free[20]}\n"
    good = sum(
        result.malloc.minimum_free >= free[20] and not result.summary.failures for result in results
    )
    match = rows(checked(f'{text}perturbed = "{100 * good / 40}%"\n{RUN}'))["perturbed"]
    assert (match.status, match.value) == (KEPT, 100 * good / 40)
    assert f"{good} of 40 runs" in match.sentence
    more = rows(checked(f'{text}perturbed = "{100 * good / 40 + 0.5}%"\n{RUN}'))["perturbed"]
    assert more.status == BROKEN
    assert "min_free is the budget that most of them break" in more.cause


def test_strength_0_holds_what_the_recorded_run_holds(
    make_trace: MakeTrace, checked: Check
) -> None:
    make_trace("t net", *VARIED)
    text = f'{TIGHT}[jitter]\nruns = 5\nstrength = 0\n[budget]\nperturbed = "100%"\n{RUN}'
    assert rows(checked(text))["perturbed"].status == KEPT


def test_a_trace_with_a_loss_has_no_perturbed_runs(make_trace: MakeTrace, checked: Check) -> None:
    trace = make_trace(*(f"a {n} 100" for n in range(60_000)))
    data = trace.read_bytes()
    trace.write_bytes(data[: len(data) * 3 // 4])
    big = '[memory]\npool = "8MB"\nallocator = "tlsf"\n'
    result = rows(checked(f'{big}[budget]\nperturbed = "95%"\n{RUN}'))["perturbed"]
    assert result.status == UNKNOWN
    assert "events of the trace are missing" in result.sentence


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("runs = 0", "--jitter 0: outside its range"),
        ('runs = "many"', "runs: is not a number"),
        ("run = 5", "run: unknown key"),
        ("strength = 2", "--jitter-strength 2: outside its range"),
    ],
)
def test_a_wrong_table_of_jitter_is_named(
    make_trace: MakeTrace, checked: Check, table: str, text: str
) -> None:
    make_trace(*LINES)
    with pytest.raises(heapscope.InputError, match=text):
        checked(f"{POOL}[jitter]\n{table}\n[budget]\nfailures = 0\n{RUN}")
