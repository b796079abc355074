"""The frame of every page: one file with its own styles and scripts, which lets nothing else run
and loads nothing."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from bokeh.resources import Resources
from jinja2 import Environment, FunctionLoader, StrictUndefined

from heapscope.base.languages import script_json
from heapscope.base.version import __version__
from heapscope.base.wording import count, plural, size
from heapscope.render.page.detail import DETAILS, Detail
from heapscope.render.text.table import CellText, Table
from heapscope.render.text.terminal import plain_text
from heapscope.trace.call_sites import SITE_ROOM, frames_of, shortened

#: Bytes of a page at most, whatever is in it.
PAGE_MAX = 6_100_000

#: The package whose folder `assets` has what every page has.
OWN = "heapscope.render.page"

#: Scripts of every page, before its own.
FIRST = ("theme.js", "patterns.js", "tables.js", "tip.js", "axes.js")
#: Those of a page with the engine, in the order in which they stand: one that starts the worker and
#: comes before the trace, those behind the trace, one that begins; and those of the worker.
EARLY, LATE = "asking.js", "opening.js"
EXPLORE = (
    *("places.js", "whatif.js", "filtering.js", "seen.js", "painting.js"),
    *("telling.js", "explore.js", "logged.js"),
)
#: Scripts of the page that opens anything, for a device that is heard, and those of its worker.
DEVICE = ("serial.js", "device.js")
LISTENING = ("listening.js", "heard.js")
WORKER = (
    *("patterns.js", "places.js", "engine.js", "blocks.js", "zstd.js"),
    *("log_facts.js", "jobs.js"),
)


def fitting(make: Callable[[Detail], str], *, besides: int = 0) -> str:
    """The page with the most detail that is not above PAGE_MAX; `besides`: bytes of it that do not
    count, because they have a limit of their own."""
    text = ""
    most = PAGE_MAX + besides
    for detail in DETAILS:
        text = make(detail)
        if len(text) <= most and len(text.encode("utf-8")) <= most:
            break
    return text


def page(
    template: str,
    *,
    package: str = OWN,
    scripts: Sequence[str],
    data: Mapping[str, Any],
    detail: Detail,
    charts: bool = True,
    packed: Mapping[str, str] | None = None,
    explore: Sequence[str] = EXPLORE,
    **context: Any,
) -> str:
    """`package`: its folder `assets` has what this page alone has. `scripts`: assets of this page,
    after those of every page. `data`: what they read as HS.data. `charts`: whether it has any;
    without them it is much smaller. `packed`: texts by their names, for the scripts of a page with
    the engine, `explore`, which may compile it. They stand before the data and the charts, so that
    the worker has begun when the browser reads those."""
    elements = [_script(_asset(package, name)) for name in FIRST]
    if packed:
        texts = {
            name: (f' type="text/plain" data-packed="{name}"', packed[name]) for name in packed
        }
        trace = [texts.pop("trace")] if "trace" in texts else []
        elements += [*texts.values(), _script(_asset(package, EARLY)), *trace]
        elements += [_script(_asset(package, name)) for name in (*explore, LATE)]
    elements.append((' type="application/json" id="data"', script_json(data)))
    late = [_bokeh()] if charts else []
    elements += [(' type="text/plain" id="bokeh"', text) for text in late]
    elements += [_script(_asset(package, name)) for name in scripts]
    return (
        _environment(package)
        .get_template(template)
        .render(
            version=__version__,
            policy=_policy(
                [*late, *(text for kind, text in elements if not kind)], engine=bool(packed)
            ),
            css=_asset(OWN, "page.css"),
            elements=elements,
            detail=detail,
            **context,
        )
    )


def _script(text: str) -> tuple[str, str]:
    """An element that runs: without attributes."""
    return "", text


def _policy(scripts: Sequence[str], *, engine: bool) -> str:
    """Only scripts of these very bytes run; nothing is fetched from anywhere. Bokeh puts styles
    into the page, and its icons are data. `engine`: WebAssembly may be compiled, in a worker that
    the page makes of its own text and that has this policy too."""
    hashes = []
    for script in scripts:
        digest = hashlib.sha256(script.encode("utf-8")).digest()
        hashes.append(f"'sha256-{base64.b64encode(digest).decode('ascii')}'")
    if engine:
        hashes.append("'wasm-unsafe-eval'")
    return (
        f"default-src 'none'; script-src {' '.join(hashes)}; style-src 'unsafe-inline'; "
        f"img-src data:; {'worker-src blob:; ' if engine else ''}base-uri 'none'; "
        "form-action 'none'"
    )


@functools.cache
def _bokeh() -> str:
    """BokehJS without widgets, tables, WebGL and mathematics, which no page uses."""
    return "\n".join(Resources(mode="inline", components=["bokeh"], log_level="warn").js_raw)


def worker_text(*more: str) -> str:
    """The code of the worker that holds the engine, and that of more assets behind it."""
    return "\n".join(_asset(OWN, name) for name in (*WORKER, *more))


def own_asset(name: str) -> str:
    """The text of an asset of every page."""
    return _asset(OWN, name)


@functools.cache
def _asset(package: str, name: str) -> str:
    file = files(package).joinpath("assets", name)
    if not file.is_file():
        file = files(OWN).joinpath("assets", name)
    return file.read_text(encoding="utf-8")


@functools.cache
def _environment(package: str) -> Environment:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(functools.partial(_asset, package)),
    )
    environment.filters.update(
        {
            "count": count,
            "size": size,
            "plural": plural,
            "cell": plain_text,
            "sort_key": _sort_key,
            "stacks": _stacks,
        }
    )
    return environment


def _sort_key(value: object) -> str:
    """For numbers only; text sorts as it stands."""
    if isinstance(value, CellText):
        return "" if value.number is None else str(value.number)
    return str(value) if isinstance(value, int | float) else ""


def _stacks(table: Table, place: int) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Call sites that are shown short: the form, and the whole stack that it opens to."""
    if not table.columns[place].site:
        return {}
    sites = [str(row[place] or "") for row in table.rows]
    pairs = zip(sites, shortened(sites, SITE_ROOM), strict=True)
    return {site: (short, frames_of(site)) for site, short in pairs if short != site}
