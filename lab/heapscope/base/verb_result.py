"""The results of the Python interface: each becomes JSON, a data frame, or the text that the
command prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, overload

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.extras import command

if TYPE_CHECKING:
    import polars
    from rich.console import Console, ConsoleOptions, RenderResult

_WIDTH = 110  # characters of the tables in a notebook


class _Result(Protocol):
    def to_json(self) -> Any: ...


Each = TypeVar("Each", bound=_Result, covariant=True)


class VerbResult:
    """Base of the results. A subclass has `to_json` and may name its main table."""

    #: The key of the JSON document whose rows `to_polars()` gives; empty: it must be named.
    main_table: ClassVar[str] = ""

    #: Prints an answer. Reports are made from answers, so the interface, which knows both, sets it.
    printed_by: ClassVar[Callable[[Any, Any], None] | None] = None

    def to_json(self) -> Any:
        """The document that `--json` of the command writes."""
        raise NotImplementedError

    def to_polars(self, table: str = "") -> polars.DataFrame:
        """One table of the JSON document as a data frame. InputError: the answer has no such table,
        or the extra `parquet` is not installed."""
        document = self.to_json()
        tables = {"": document} if isinstance(document, list) else _tables(document)
        name = table or ("" if "" in tables else self.main_table)
        if name not in tables:
            raise InputError(
                f"no table '{name}' in this answer" if name else "which table?",
                remedy=f"{did_you_mean(name, tables)}give one of: {', '.join(tables)}",
            )
        try:
            import polars
        except ModuleNotFoundError:
            raise InputError(
                "to_polars() needs polars, which is not installed",
                remedy=command("parquet"),
            ) from None
        return polars.DataFrame(tables[name], infer_schema_length=None)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        yield Text.from_ansi(self._printed(options.max_width, color=True))

    def _repr_html_(self) -> str | None:
        """The text that the command prints, for a notebook."""
        if VerbResult.printed_by is None:
            return None
        from html import escape

        return f"<pre>{escape(self._printed(_WIDTH, color=False))}</pre>"

    def _printed(self, width: int, *, color: bool) -> str:
        from io import StringIO

        from rich.console import Console

        text = StringIO()
        target = Console(
            file=text, width=width, force_terminal=color, color_system="standard" if color else None
        )
        printed_by = VerbResult.printed_by
        if printed_by is None:
            target.print(repr(self), markup=False)
        else:
            printed_by(self, target)
        return text.getvalue()


@dataclass(frozen=True)
class Results(VerbResult, Sequence[Each]):
    """Several results of one verb; their document is the list of theirs."""

    results: tuple[Each, ...]

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, index: int) -> Each: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Each, ...]: ...

    def __getitem__(self, index: int | slice) -> Each | tuple[Each, ...]:
        return self.results[index]

    def to_json(self) -> Any:
        return [result.to_json() for result in self.results]


def _tables(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    return {
        name: rows
        for name, rows in document.items()
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    }
