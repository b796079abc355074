"""The view of a device on a terminal, drawn by Textual."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Footer, RichLog, Static

from heapscope.logs.live.live_result import LiveResult
from heapscope.logs.live.moment import LiveMoment
from heapscope.render.text.live import (
    answer_lines,
    course_lines,
    headline,
    in_order,
    loss_line,
    losses_table,
    memory_table,
    needs_table,
    owners_table,
    state_line,
    way_tables,
    why_tables,
)

#: Starts listening with these two calls: what takes a moment, and what says whether to stop.
Listen = Callable[[Callable[[LiveMoment], object], Callable[[], bool]], LiveResult]

_LINES = 5000  # of the device's log that can be scrolled back to


class LiveView(App[LiveResult]):
    """Shows each moment; `q` ends it. The result of the app is that of listening."""

    TITLE = "heapscope live"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        ("q", "end", "End"),
        ("p", "hold", "Hold or go on"),
        ("b", "mute", "Bell on or off"),
    ]
    CSS = """
    #state { height: auto; padding: 0 1; background: $surface; }
    #tables { height: 2fr; padding: 0 1; }
    #log { height: 1fr; border-top: solid $primary; padding: 0 1; }
    """

    def __init__(self, listen: Listen) -> None:
        super().__init__()
        self._listen = listen
        self._over = False
        self._held = False
        self._muted = False
        self.heard: LiveResult | None = None  # when the input is over
        self.failure: Exception | None = None

    def compose(self) -> ComposeResult:
        yield Static("waiting", id="state", markup=False)
        with VerticalScroll(id="tables"):
            yield Static("", id="figures", markup=False)
        yield RichLog(id="log", max_lines=_LINES, markup=False, highlight=False, wrap=True)
        yield Footer()

    def on_mount(self) -> None:
        self.run_worker(self._hear, thread=True, exclusive=True)

    def _hear(self) -> None:
        try:
            result = self._listen(self._take, lambda: self._over)
        except Exception as error:
            self.failure = error
            self.call_from_thread(self.exit, None)
        else:
            self.call_from_thread(self._heard, result)

    def _take(self, moment: LiveMoment) -> None:
        if not self._over:
            self.call_from_thread(self.show, moment)

    def _heard(self, result: LiveResult) -> None:
        """The input may be over while somebody still reads what it told."""
        self.heard = result
        if self._over or result.ended_by != "input":
            self.exit(result)
        else:
            self._say(Text("heapscope: the input is over; q ends this view", style="bold"))

    def show(self, moment: LiveMoment) -> None:
        """Draws it. The log goes on while figures are held."""
        for one in in_order(moment):
            if isinstance(one, str):
                self._say(Text(one))
                continue
            self._say(Text(f"heapscope: {one.text}", style="bold yellow"))
            if one.kind == "need" and not self._muted:
                self.bell()
        if moment.log_left_out:
            self._say(Text(f"heapscope: {moment.log_left_out:,} lines of the log are left out"))
        if self._held:
            return
        self.query_one("#state", Static).update(state_of(moment))
        self.query_one("#figures", Static).update(figures_of(moment))

    def _say(self, line: Text) -> None:
        self.query_one("#log", RichLog).write(line)

    def action_end(self) -> None:
        if self._over or self.heard is not None:
            self.exit(self.heard)
        self._over = True

    def action_hold(self) -> None:
        self._held = not self._held

    def action_mute(self) -> None:
        self._muted = not self._muted


def state_of(moment: LiveMoment) -> Text:
    return Text("\n").join(
        [
            Text(headline(moment), style="bold"),
            Text(state_line(moment)),
            Text(loss_line(moment), style="red" if moment.losses.events else ""),
            *(Text(line, style="yellow") for line in course_lines(moment.courses, drawn=True)),
        ]
    )


def figures_of(moment: LiveMoment) -> RenderableType:
    tables = (
        memory_table(moment),
        needs_table(moment.needs),
        *way_tables(moment.needs),
        owners_table(moment),
        losses_table(moment),
        *why_tables(moment.needs),
    )
    parts: list[RenderableType] = []
    for table in tables:
        if table.count:
            parts += [table, Text("")]
    return Group(*parts, *answer_lines(moment.needs))
