"""A device heard without a view: its log as it comes, what happens in it at once, and how it stands
every so often; or JSON, a line for each moment that says something new."""

from __future__ import annotations

from typing import TextIO

from heapscope.base.languages import json_text
from heapscope.cli.held_output import release_output
from heapscope.logs.live.moment import LiveMoment
from heapscope.render.text.live import course_lines, headline, in_order, status

RING = "\a"


class LiveLines:
    """`every`: seconds between two lines of how it stands."""

    def __init__(self, *, every: float, text: TextIO | None, lines: TextIO | None) -> None:
        self._every = every
        self._text = text
        self._json = lines
        self._next = 0.0
        self._headline = ""
        release_output()

    def say(self, line: str) -> None:
        if self._text is not None:
            self._text.write(f"heapscope: {line}\n")
            self._text.flush()

    def show(self, moment: LiveMoment) -> None:
        due = moment.seconds >= self._next and not moment.gone
        if due:
            self._next = max(self._next + self._every, moment.seconds)
        if self._json is not None and (due or moment.happenings or moment.log):
            self._json.write(f"{json_text(moment.to_json())}\n")
            self._json.flush()
        if self._text is not None:
            self._show_text(self._text, moment, due=due)

    def _show_text(self, text: TextIO, moment: LiveMoment, *, due: bool) -> None:
        lines = [
            one if isinstance(one, str) else f"heapscope: {one.text}" for one in in_order(moment)
        ]
        if moment.log_left_out:
            lines.append(f"heapscope: {moment.log_left_out:,} lines of the log are left out")
        if due and moment.recording:
            if headline(moment).rpartition(",")[0] != self._headline:
                self._headline = headline(moment).rpartition(",")[0]
                lines.append(f"heapscope: {headline(moment)}")
            lines.append(f"heapscope: {status(moment)}")
        if due:
            courses = course_lines(moment.courses, drawn=False)
            lines += [f"heapscope: {line}" for line in courses]
        text.write("".join(f"{line}\n" for line in lines))
        if text.isatty() and any(one.kind == "need" for one in moment.happenings):
            text.write(RING)
        text.flush()
