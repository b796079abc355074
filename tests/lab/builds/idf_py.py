"""Stands in for idf.py where its extensions are loaded and run: entry points of the group, then a
project's idf_ext.py; dictionaries that become commands of click, chained on one line; options of
the scope "global", which reach an action by its third argument. ESP-IDF's own program is in no
registry, so it was read and not run.

    python idf_py.py [--also MODULE ...] [OPTIONS] ACTION [OPTIONS] [ACTION ...]

`--also`: modules whose actions are there before, as those of ESP-IDF and its tools."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

PROJECT = {"names": ["-C", "--project-dir"], "default": ".", "scope": "global"}
BUILD = {"names": ["-B", "--build-dir"], "default": None, "scope": "global"}
VERSION = "1"


def option(declared: dict[str, Any]) -> click.Option:
    own = ("names", "scope", "deprecated")
    settings = {key: value for key, value in declared.items() if key not in own}
    return click.Option(declared["names"], **settings)


def merged(known: dict[str, Any], reported: dict[str, Any], *, base: bool) -> None:
    if not base and reported.get("version") != VERSION:
        raise SystemExit("the extension tells no version of the interface")
    for name, action in reported.get("actions", {}).items():
        if name in known:
            raise SystemExit(f"two actions are called {name}")
        known[name] = action


def extensions(project: Path) -> list[Any]:
    results = [point.load() for point in entry_points(group="idf_extension")]
    own = project / "idf_ext.py"
    if own.is_file():
        spec = importlib.util.spec_from_file_location("idf_ext_project", own)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        results = [module.action_extensions]
    return results


def command(name: str, action: dict[str, Any], shared: list[dict[str, Any]]) -> click.Command:
    """A command that returns what is to be run when the whole line is known."""
    declared = [*action.get("options", ())]
    everywhere = {option(one).name for one in declared if one.get("scope") == "global"}
    shared += [one for one in declared if one.get("scope") == "global"]

    def task(**values: Any) -> tuple[Any, ...]:
        own = {key: value for key, value in values.items() if key not in everywhere}
        given = {key: value for key, value in values.items() if key in everywhere and value}
        return name, action["callback"], own, given

    params: list[click.Parameter] = [
        click.Argument(one["names"], **{key: value for key, value in one.items() if key != "names"})
        for one in action.get("arguments", ())
    ]
    params += [option(one) for one in declared]
    text = {key: action[key] for key in ("help", "short_help") if key in action}
    return click.Command(name, callback=task, params=params, **text)


def main() -> None:
    words = sys.argv[1:]
    known: dict[str, Any] = {}
    place = words.index("-C") + 1 if "-C" in words else None
    project = Path(words[place] if place else ".").resolve()
    while words[:1] == ["--also"]:
        reported = importlib.import_module(words[1]).action_extensions(
            {"actions": known}, str(project)
        )
        merged(known, reported, base=True)
        words = words[2:]
    for extension in extensions(project):
        base = {"global_options": [], "actions": dict(known), "global_action_callbacks": []}
        merged(known, extension(base, str(project)), base=False)
    shared = [PROJECT, BUILD]
    commands = {name: command(name, action, shared) for name, action in known.items()}
    unique = {option(one).name: one for one in reversed(shared)}
    group = click.Group(
        "idf.py", commands=commands, chain=True, params=[option(one) for one in unique.values()]
    )

    @group.result_callback()
    @click.pass_context
    def run(context: click.Context, tasks: list[Any], **everywhere: Any) -> None:
        args = SimpleNamespace(**everywhere)
        args.project_dir = str(project)
        for *_, given in tasks:
            for key, value in given.items():
                setattr(args, key, value)
        for name, callback, own, _ in tasks:
            print(f"Executing action: {name}", flush=True)
            callback(name, context, args, **own)

    group.main(args=words, prog_name="idf.py")


if __name__ == "__main__":
    main()
