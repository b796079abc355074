"""A page as a widget of a notebook."""

from __future__ import annotations

import functools
from typing import Any

from heapscope.base.extras import need
from heapscope.render.page.document import Report, html

#: The page in a frame of its own: a sandbox without the notebook's origin, so that neither reads
#: the other. The page's own policy holds in it, and it loads nothing.
_SCRIPT = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = "Heapscope";
  frame.style.cssText = "width:100%;border:0";
  const fit = () => { frame.style.height = `${model.get("height")}px`; };
  const fill = () => { frame.srcdoc = model.get("page"); };
  fit();
  fill();
  model.on("change:height", fit);
  model.on("change:page", fill);
  el.replaceChildren(frame);
}
export default { render };
"""


def widget(report: Report | None = None, *, height: int = 900) -> Any:
    """The page of a report as a widget of Jupyter, VS Code, Colab or marimo, with everything that
    the page can do: `widget(report("T.hst", chip="esp32"))`. Without a report it is the page that
    opens files. `height`: pixels. InputError: a package of the extra "notebook" is missing."""
    need("notebook", "a widget of a notebook")
    if report is None:
        from heapscope.render.page.explorer import explorer_html

        page = explorer_html()
    else:
        page = html(report)
    return _kind()(page=page, height=height)


@functools.cache
def _kind() -> Any:
    """The class is made when it is needed: anywidget is an extra."""
    import anywidget
    import traitlets

    traits = {
        "__doc__": "A page of Heapscope.",
        "__module__": __name__,
        "_esm": _SCRIPT,
        "page": traitlets.Unicode("").tag(sync=True),
        "height": traitlets.Int(900).tag(sync=True),
    }
    return type("PageWidget", (anywidget.AnyWidget,), traits)
