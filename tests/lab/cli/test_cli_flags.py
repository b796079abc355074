"""A flag means one thing: over all verbs it has one help text, and one form of its value."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
import typer

import heapscope
from heapscope.cli.app import app

#: Flags whose value is the name of a file, a folder or the beginning of names, by verb.
PLACES = {"-o", "--output"}

Texts = dict[str, set[tuple[str, str]]]


@pytest.fixture(scope="module")
def options() -> Texts:
    """Help and metavar of each flag in each verb."""
    group: Any = typer.main.get_command(app)
    texts: Texts = defaultdict(set)
    for verb in group.list_commands(None):
        for param in group.get_command(None, verb).params:
            if param.param_type_name == "option":
                metavar = "" if PLACES.intersection(param.opts) else param.metavar or ""
                for flag in (*param.opts, *param.secondary_opts):
                    texts[flag].add((param.help or "", metavar))
    return texts


def test_a_flag_has_one_meaning_in_all_verbs(options: Texts) -> None:
    assert len(options) > 100
    assert {flag: texts for flag, texts in options.items() if len(texts) > 1} == {}


def test_every_output_is_named_by_output(options: Texts) -> None:
    assert "--out" not in options
    assert options["-o"] == options["--output"]


def test_the_help_groups_every_verb_once() -> None:
    names = [verb for verbs in heapscope.GROUPS.values() for verb in verbs]
    assert len(names) == len(set(names))
    group: Any = typer.main.get_command(app)
    assert {name.rstrip("_") for name in names} == set(group.commands)
