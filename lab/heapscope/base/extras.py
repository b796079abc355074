"""The extras of pyproject.toml: packages that are installed only where a verb needs them."""

from __future__ import annotations

from importlib.util import find_spec

from heapscope.base.errors import InputError

#: The packages of each extra that stands for a verb, by the names under which they are imported.
PACKAGES = {
    "notebook": ("anywidget", "bokeh", "jinja2"),
    "record": ("symbolic",),
    "report": ("bokeh", "jinja2"),
    "place": ("highspy",),
    "tune": ("highspy",),
    "sweep": ("distributed", "pyarrow", "duckdb"),
}


def need(extra: str, what: str, *, instead: str = "") -> None:
    """InputError with the one command where a package of the extra is missing. `what`: the subject
    of the sentence; `instead`: what works without it."""
    missing = [name for name in PACKAGES[extra] if not _is_there(name)]
    if missing:
        raise InputError(
            f"{what} needs {' and '.join(missing)}, which "
            f"{'is' if len(missing) == 1 else 'are'} not installed",
            remedy=command(extra) + (f", or {instead}" if instead else ""),
        )


def _is_there(name: str) -> bool:
    """Whether it could be imported; the search itself imports nothing."""
    try:
        return find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):
        return False


def command(extra: str) -> str:
    """The one command that installs what an extra brings, wherever Heapscope itself was taken from.
    Double quotes work in the shells of all systems."""
    return " ".join(["pip install", *(f'"{needed}"' for needed in _brought(extra))])


def _brought(extra: str) -> list[str]:
    """The requirements of an extra, from the metadata of the installation."""
    from importlib.metadata import requires

    results = []
    for line in requires("heapscope") or ():
        needed, _, marker = (part.strip() for part in line.partition(";"))
        if f'extra == "{extra}"' not in marker:
            continue
        other = needed.removeprefix("heapscope[")  # an extra may stand for others
        results += [needed] if other == needed else _brought(other.removesuffix("]"))
    return results
