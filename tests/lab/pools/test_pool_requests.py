"""`fit --pools --request`: one option of a program alone, by what it does to requests."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import captured, run

DEFAULT = captured("ice_default")
#: The requests of the recording with all options, by those without.
SMALLER = {
    **{1384: 384, 2000: 360, 3000: 360, 800: 360, 3268: 628, 1536: 1096},
    **{8016: 4344, 3120: 2720, 1056: 592, 2444: 1492},
}


def asked(*words: object) -> dict[str, Any]:
    done = run("fit", DEFAULT, "--pools", *words, "--json", "-")
    assert done.exit_code == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)["traces"][0]
    return document


def test_all_options_together_are_the_recording_with_all_of_them() -> None:
    words = [word for pair in SMALLER.items() for word in ("--request", "{}={}".format(*pair))]
    changed = asked(*words, "--sizes", "all=128:128")
    done = run("fit", captured("ice_tuned"), "--pools", "--json", "-")
    recorded = json.loads(done.stdout)["traces"][0]
    held = [(m["name"], m["other_used"], m["other_allocated"]) for m in changed["marks"]]
    assert held == [(m["name"], m["used"], m["allocated"]) for m in recorded["marks"]]
    assert changed["other_peak"] == recorded["peak"]["allocated"]
    assert changed["other_calls"] == recorded["calls"]


def test_a_request_that_is_gone_takes_nothing() -> None:
    without, small = asked("--request", "800=0"), asked("--request", "800=1")
    assert without["other_peak"] <= small["other_peak"] < without["peak"]["allocated"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--request", "2000"), "not FROM=TO"),
        (("--request", "2000=x"), "not FROM=TO"),
        (("--request", "77777=5"), "no request to a pool has so many bytes"),
    ],
)
def test_what_cannot_be_asked(words: tuple[str, ...], said: str) -> None:
    done = run("fit", DEFAULT, "--pools", *words)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


def test_dumps_tell_nothing_of_other_requests() -> None:
    dumps = captured("ice_study_default")
    done = run("fit", dumps, "--pools", "--request", "1280=360")
    assert done.exit_code == 2
    assert "does not tell how its pools grow" in " ".join(done.stderr.split())
