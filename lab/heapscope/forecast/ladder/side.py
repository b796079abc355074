"""A configuration as the user names it on the command line, with its release.

FILE  FILE,FILE  FOLDER      an sdkconfig; of several, later ones win; a project's folder
FILE@5.1                     the same under that release
+CONFIG_X=y  +FILE           the configuration before it, with these lines
@5.5                         the configuration before it, under another release
FILE@5.1+CONFIG_X=y  @5.5+CONFIG_X=y  both at once
arduino@3.3.7:qio_opi  @3.3.8   what a core or project brings (heapscope.config.cores)
idf@5.1.4  @5.5.5            the defaults of a release
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.config.chosen_config import choose_among, left_out
from heapscope.config.config import Config
from heapscope.config.cores import IDF, PREBUILT, Core, NamedCore, core_behind, core_of, named_core
from heapscope.config.read_file import ConfigFile, read_config_file
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.psram import psram_notes
from heapscope.forecast.predict.static_use import KnownStatic

_NAME_MAX = 60  # characters of a side's name
_EXAMPLES = "for example: sdkconfig.defaults@5.1 @5.5, sdkconfig +CONFIG_SPIRAM=y, or both at once"
_LINE = re.compile(r"CONFIG_\w+=")
_BEHIND_CORE = re.compile(r"(?:@(?P<release>[^@+,]+))?(?:\+(?P<more>.*))?")
_WITH_LINES = re.compile(r'(?P<text>[^"@]*)@(?P<release>[^"@+,]+)\+(?P<more>.*)')


@dataclass(frozen=True, kw_only=True)
class NamedFiles:
    """The lines that a name stands for, behind those of `project` where it names a folder, or of
    `core` where it names a release that brings some; `idf`: the release that it names."""

    name: str
    files: tuple[ConfigFile, ...]
    idf: str | None = None
    project: Path | None = None
    core: NamedCore | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ConfigSide:
    """`core`: what a release brings; None: files of the user's own."""

    name: str
    idf: str | None
    model: MemoryModel
    notes: tuple[str, ...]
    core: Core | None = None

    @property
    def config(self) -> Config:
        return self.model.scene.config

    @property
    def platform(self) -> tuple[str, str, tuple[int, int]]:
        """Chip and release."""
        return self.config.chip, self.config.sdk, self.model.scene.minor

    @property
    def release(self) -> str:
        """ "5.1", or "5.1.4" where a patch release was named."""
        minor = ".".join(map(str, self.model.scene.minor))
        return self.config.sdk if self.config.sdk.startswith(f"{minor}.") else minor


def named_files(names: Sequence[str | Path]) -> list[NamedFiles]:
    """InputError: a file cannot be read, or a name needs one before it."""
    named_fileses: list[NamedFiles] = []
    for name in map(str, names):
        before = named_fileses[-1] if named_fileses else None
        shown = printable(name, limit=_NAME_MAX)
        named = _core(name, before)
        if named is not None:
            named_fileses.append(replace(_with_core(*named, before), name=shown))
            continue
        text, idf, more = _release(name)
        if text and not text.startswith("+"):
            before = None
        elif before is None:
            raise InputError(
                f"'{printable(name)}' changes a configuration, and none stands before it",
                remedy=_EXAMPLES,
            )
        project, files = _of(text.removeprefix("+"))
        if before is not None:
            if project is not None:
                raise InputError(
                    f"'{printable(name)}' adds a folder to a configuration",
                    remedy="name a file of it, or the folder without the +",
                )
            project, files, idf = before.project, before.files + files, idf or before.idf
        files += () if more is None else _added(name, more)
        core = None if before is None else before.core
        if core is not None and core.project in PREBUILT and idf is not None:
            raise InputError(
                f"'{printable(name)}': the libraries of {core.project} are built with one ESP-IDF",
                remedy=f"name another release of it: {core.project}@3.3.8",
            )
        named_fileses.append(
            NamedFiles(name=shown, files=files, idf=idf, project=project, core=core)
        )
    return named_fileses


def _core(name: str, before: NamedFiles | None) -> tuple[NamedCore, str] | None:
    """The release of a core that a name has in it, and what follows; None: it names none."""
    if before is not None and before.core is not None and name.startswith("@"):
        return core_behind(before.core, name)
    return named_core(name)


def _with_core(core: NamedCore, more: str, before: NamedFiles | None) -> NamedFiles:
    """`more`: an ESP-IDF behind it, and lines. A release of the core before keeps its lines."""
    same = before is not None and before.core is not None and before.core.project == core.project
    files = before.files if before is not None and same else ()
    idf = None
    match = _BEHIND_CORE.fullmatch(more)
    if match is None or (match["release"] and core.project in (*PREBUILT, IDF)):
        raise InputError(
            f"'{printable(core.shown + more)}': what is '{printable(more)}'?",
            remedy="for example: arduino@3.3.8:qio_opi, micropython@1.27.0:ESP32_GENERIC@5.4.1, "
            "idf@5.5.1+CONFIG_SPIRAM=y",
        )
    idf = match["release"]
    added = _added(core.shown, match["more"]) if match["more"] is not None else ()
    return NamedFiles(name=core.shown, files=(*files, *added), idf=idf, core=core)


def paths_of(name: str) -> list[Path]:
    """The files that a name has in it; "-" is standard input."""
    match = _WITH_LINES.fullmatch(name)
    if match is not None:
        name = f"{match['text']},{match['more']}"
    parts = name.removeprefix("+").split(",")
    last, at, _ = parts[-1].rpartition("@")
    paths = [Path(part) for part in (*parts, *([last] if at else [])) if part]
    return [path for path in paths if str(path) == "-" or path.is_file()]


def steps_of(path: str | Path, base: NamedFiles) -> Iterator[NamedFiles]:
    """The paragraphs of a file, each added to the configuration before it. A comment in front of a
    paragraph is its name. InputError: the file cannot be read, or has no step."""
    whole = read_config_file(path)
    now, result = base, False
    for number, lines in enumerate(_paragraphs(whole.text), 1):
        first, title = min(lines), lines[min(lines)]
        # Lines keep their numbers.
        text = "\n" * (first - 1) + "\n".join(lines.values()) + "\n"
        file = replace(whole, text=text)
        if not any(file.assignments()):
            continue
        result = True
        name = title.lstrip("# ") if title.startswith("#") else ""
        shown = printable(name or f"step {number}", limit=_NAME_MAX)
        now = replace(now, name=shown, files=(*now.files, file))
        yield now
    if not result:
        raise InputError(
            f"{whole.name}: no option is set in it",
            remedy="give paragraphs of lines CONFIG_X=Y, an empty line between two steps",
        )


def side_of(
    named: NamedFiles,
    *,
    chip: str | None,
    idf: str | None,
    demand: Demand,
    links: Sequence[str],
    static: KnownStatic | None = None,
) -> ConfigSide:
    """`idf`: the release where the name says none. InputError: an input cannot be used."""
    core = None if named.core is None else core_of(named.core, chip=chip)
    release = named.idf or (idf if core is None else core.idf)
    files = named.files if core is None else (core.file, *named.files)
    chip = chip if core is None else core.chip
    chosen = choose_among((), chip=chip, idf=release, project=named.project, later=files)
    scene = MemoryScene(
        config=chosen.config,
        minor=minor_of_config(chosen.config, release),
        demand=demand,
        links=tuple(links),
        instead={} if core is None else core.instead,
    )
    known = static or KnownStatic()
    model = MemoryModel(scene=scene, static_dram=known.static_dram, static_iram=known.static_iram)
    own = left_out(chosen.config) if named.files or core is None else ()
    if core is None:
        own += psram_notes(scene, "+CONFIG_SPIRAM=n leaves it out")
    return ConfigSide(
        name=named.name,
        idf=release,
        model=model,
        notes=(*chosen.notes, *(() if core is None else core.notes), *own),
        core=core,
    )


def _release(name: str) -> tuple[str, str | None, str | None]:
    """The name without its release, that, and what follows it behind a +. A file may have an @ in
    its name, and a text too."""
    match = _WITH_LINES.fullmatch(name)
    if match is not None and not Path(name).exists():
        return match["text"], match["release"], match["more"]
    last = name.rpartition(",")[2].removeprefix("+")
    text, _, release = name.rpartition("@")
    if "@" not in last or '"' in release or (last and Path(last).exists()):
        return name, None, None
    if not release:
        raise InputError(f"'{printable(name)}' has no release behind @", remedy=_EXAMPLES)
    return text, release, None


def _added(name: str, more: str) -> tuple[ConfigFile, ...]:
    """The lines behind a +. InputError: they are neither an option's nor a file's."""
    parts = more.split(",")
    for part in parts:
        if not _LINE.match(part) and not Path(part).is_file():
            raise InputError(
                f"'{printable(name)}': what follows the + is neither CONFIG_X=y nor a file: "
                f"'{printable(part)}'",
                remedy=_EXAMPLES,
            )
    return tuple(map(_read, parts))


def _of(text: str) -> tuple[Path | None, tuple[ConfigFile, ...]]:
    """The project that the text names, and the lines that follow its own."""
    parts = [part for part in text.split(",") if part]
    folder = Path(parts[0]) if parts and Path(parts[0]).is_dir() else None
    return folder, tuple(map(_read, parts if folder is None else parts[1:]))


def _read(part: str) -> ConfigFile:
    """InputError: it is a folder, or no configuration."""
    if part.startswith("CONFIG_") and "=" in part:
        return ConfigFile(name=printable(part), text=f"{part}\n")
    if Path(part).is_dir():
        raise InputError(
            f"{printable(part)}: a folder stands behind other files",
            remedy="name the folder first, and the files that follow it after a comma",
        )
    return read_config_file(part)


def _paragraphs(text: str) -> Iterator[dict[int, str]]:
    """Lines by number, from one empty line to the next."""
    built: dict[int, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            built[number] = line.strip()
        elif built:
            yield built
            built = {}
    if built:
        yield built
