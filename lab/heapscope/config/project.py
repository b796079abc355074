"""The files of a firmware's project that say something of its options: which they are, and the
order in which ESP-IDF's build reads them. Nothing is run; what only the build knows is a note."""

from __future__ import annotations

import configparser
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.config.cmake_lists import Assigned, commands, variables
from heapscope.config.kconfig.table import RELEASES

_SIZE_MAX = 256 << 10  # bytes of a file of the build
_BUILT_MAX = 8 << 20  # bytes of what a build writes of itself: all files of all components
_FOLDERS_MAX = 2000  # components
_REMEDY = "give the folder with the project's CMakeLists.txt, platformio.ini or sdkconfig"
_LOCK = "dependencies.lock"
_MANIFEST = "idf_component.yml"
_BUILT = "build/project_description.json"


@dataclass(frozen=True, kw_only=True)
class Stated:
    """Something that a file of the project says, and the file's name; "" and "": none says it."""

    value: str = ""
    file: str = ""


@dataclass(frozen=True, kw_only=True)
class Component:
    """`early`: its Kconfig.projbuild, which is read before the components of ESP-IDF."""

    folder: Path
    early: Path | None
    late: Path | None
    renames: tuple[Path, ...]


@dataclass(frozen=True, kw_only=True)
class Project:
    """`defaults`: what SDKCONFIG_DEFAULTS names, in its order. `notes`: sentences on what cannot be
    known from the files; `whole`: nothing of it can have options. `built`: the version of its last
    build, by Git or version.txt: "v5.5.3", where `version` is that of the lock file, by numbers."""

    folder: Path
    sdkconfig: Path | None
    defaults: tuple[Path, ...]
    components: tuple[Component, ...]
    chip: Stated
    version: Stated
    built: Stated
    notes: tuple[str, ...]
    whole: bool

    def for_all_chips(self) -> tuple[Path, ...]:
        return (*self.defaults, *([self.sdkconfig] if self.sdkconfig is not None else ()))

    def files(self, chip: str, release: str) -> tuple[Path, ...]:
        """In the order in which the release reads them: later ones win."""
        for_chip = {path: path.with_name(f"{path.name}.{chip}") for path in self.defaults}
        for_chip = {path: other for path, other in for_chip.items() if other.is_file()}
        if RELEASES.index(release) < RELEASES.index("5.0.9"):
            results = [*self.defaults, *for_chip.values()]
        else:
            results = [
                each for path in self.defaults for each in (path, for_chip.get(path)) if each
            ]
        return (*results, *([self.sdkconfig] if self.sdkconfig is not None else ()))


def find_project(
    folder: str | Path,
    *,
    idf_path: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Project:
    """`idf_path`: the folder of an ESP-IDF, where the project's files name it. `environment`: its
    SDKCONFIG_DEFAULTS counts, as in the build. InputError: the folder holds none."""
    result = _ProjectSearch(Path(folder), idf_path, environment)
    return result.project()


class _ProjectSearch:
    def __init__(self, folder: Path, idf_path: Path | None, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment
        self._notes: dict[str, None] = {}
        self._whole = True
        if not folder.is_dir():
            raise InputError(f"{_shown(folder)}: no folder", remedy=_REMEDY)
        self._known = {
            name: str(folder)
            for name in ("CMAKE_CURRENT_LIST_DIR", "CMAKE_CURRENT_SOURCE_DIR", "CMAKE_SOURCE_DIR")
        }
        self._known["CMAKE_BINARY_DIR"] = str(folder / "build")
        if idf_path is not None:
            self._known |= {"ENV{IDF_PATH}": str(idf_path), "IDF_PATH": str(idf_path)}
        self._cmake = variables(self._text(folder / "CMakeLists.txt"), self._known)
        self._platform = _Platform(self._text(folder / "platformio.ini"))

    def project(self) -> Project:
        defaults = tuple(self._defaults())
        sdkconfig = self._sdkconfig()
        components = tuple(self._components())
        if not components and not defaults and sdkconfig is None:
            raise InputError(
                f"{_shown(self._folder)}: no sdkconfig and no Kconfig file of a project",
                remedy=_REMEDY,
            )
        lock = self._yaml(self._folder / _LOCK)
        description = self._description()
        return Project(
            folder=self._folder,
            sdkconfig=sdkconfig,
            defaults=defaults,
            components=components,
            chip=self._chip(description, lock),
            version=_version(lock),
            built=_stated(description.get("git_revision"), _BUILT),
            notes=tuple(self._notes),
            whole=self._whole,
        )

    # ---- sdkconfig -------------------------------------------------------------------------------

    def _sdkconfig(self) -> Path | None:
        stated = self._values("SDKCONFIG")
        path = self._path(stated[0]) if stated else self._folder / "sdkconfig"
        names = self._platform.sdkconfigs(self._folder)
        if names and not (path is not None and path.is_file()):
            if len(names) > 1:
                others = ", ".join(name for name in names[1:])
                self._note(f"{names[0]} is read; {others} belongs to other environments")
            path = self._folder / names[0]
        return path if path is not None and path.is_file() else None

    def _defaults(self) -> Iterator[Path]:
        from_environment = self._environment.get("SDKCONFIG_DEFAULTS", "")
        defaults = self._platform.defaults or self._values("SDKCONFIG_DEFAULTS")
        if not defaults and from_environment:
            defaults = tuple(from_environment.split(";"))
            self._note("SDKCONFIG_DEFAULTS of the environment names the files of defaults")
        for name in defaults:
            path = self._path(name)
            if path is not None and path.is_file():
                yield path
            elif path is not None:
                self._note(f"SDKCONFIG_DEFAULTS names {printable(name)}, which is not there")
        usual = self._folder / "sdkconfig.defaults"
        if not defaults and usual.is_file():
            yield usual

    # ---- components ------------------------------------------------------------------------------

    def _components(self) -> Iterator[Component]:
        left_out = set(self._values("EXCLUDE_COMPONENTS"))
        if self._values("COMPONENTS"):
            self._note(
                "COMPONENTS leaves components out: options of theirs count here all the same"
            )
        seen: set[Path] = set()
        for folder in self._folders():
            real = folder.resolve()
            if real in seen or folder.name in left_out:
                continue
            seen.add(real)
            if len(seen) > _FOLDERS_MAX:
                self._missing(f"more than {_FOLDERS_MAX} components")
                return
            yield self._component(folder)

    def _folders(self) -> Iterator[Path]:
        stated = self._values("COMPONENT_DIRS")
        mains = [self._folder / name for name in ("main", self._platform.sources)]
        roots = [] if stated else [path for path in mains if path.is_dir()]
        extra = [self._path(name) for name in (stated or self._values("EXTRA_COMPONENT_DIRS"))]
        roots += [path for path in extra if path is not None]
        usual = ("components", "managed_components", "bootloader_components")
        roots += [self._folder / name for name in usual if not stated or name != "components"]
        requested: list[tuple[Path, str]] = []
        for root in roots:
            for folder in [root] if root in mains or _is_component(root) else _below(root):
                yield folder
                yield from self._dependencies(folder, requested)
        for folder, name in requested:
            if not (self._folder / "managed_components" / name.replace("/", "__")).is_dir():
                file = self._name(folder / _MANIFEST)
                self._missing(f"{file} asks for {printable(name)}, which is not downloaded")

    def _component(self, folder: Path) -> Component:
        early, late = folder / "Kconfig.projbuild", folder / "Kconfig"
        for command in commands(self._text(folder / "CMakeLists.txt")):
            if command.name in ("idf_component_register", "register_component"):
                words = dict(zip(command.words, command.words[1:], strict=False))
                early = folder / words.get("KCONFIG_PROJBUILD", early.name)
                late = folder / words.get("KCONFIG", late.name)
        return Component(
            folder=folder,
            early=early if early.is_file() else None,
            late=late if late.is_file() else None,
            renames=tuple(sorted(folder.glob("sdkconfig.rename*"))[:50]),
        )

    def _dependencies(self, folder: Path, requested: list[tuple[Path, str]]) -> Iterator[Path]:
        """Components that idf_component.yml finds in another folder; others go to `requested`."""
        result = self._yaml(folder / _MANIFEST).get("dependencies")
        for key, stated in result.items() if isinstance(result, dict) else ():
            name = str(key)
            details = stated if isinstance(stated, dict) else {}
            place = details.get("override_path", details.get("path"))
            if name == "idf":
                continue
            if not isinstance(place, str):
                requested.append((folder, name if "/" in name else f"espressif/{name}"))
                continue
            path = self._path(place, folder)
            if path is not None and path.is_dir():
                yield path
            elif path is not None:
                self._missing(f"the component {printable(name)} is not in {printable(place)}")

    # ---- what a file says ------------------------------------------------------------------------

    def _chip(self, description: Mapping[str, Any], lock: Mapping[str, Any]) -> Stated:
        stated = self._values("IDF_TARGET")
        if stated:
            return Stated(value=stated[0], file="CMakeLists.txt")
        if self._platform.chip:
            return Stated(value=self._platform.chip, file="platformio.ini")
        built = _stated(description.get("target"), _BUILT)
        return built if built.value else _stated(lock.get("target"), _LOCK)

    def _description(self) -> dict[str, Any]:
        """The last build's account of itself; nothing before the first one."""
        text = self._text(self._folder / _BUILT, limit=_BUILT_MAX)
        try:
            document = json.loads(text) if text else {}
        except (ValueError, RecursionError):
            self._note(f"{_BUILT} is not JSON")
            return {}
        return document if isinstance(document, dict) else {}

    def _values(self, name: str) -> tuple[str, ...]:
        result = self._cmake.get(name, Assigned((), 0, True))
        if result.values and not result.certain:
            self._note(f"CMakeLists.txt sets {name} in an if, which is taken to hold")
        return result.values

    def _path(self, name: str, folder: Path | None = None) -> Path | None:
        """None: only the build knows the place."""
        idf_path = self._known.get("IDF_PATH")
        for reference in ("${IDF_PATH}", "$IDF_PATH", "$ENV{IDF_PATH}"):
            name = name.replace(reference, idf_path) if idf_path else name
        if "$" in name or "\0" in name:
            self._missing(f"where {printable(name)} is only the build knows")
            return None
        return Path(os.path.normpath((folder or self._folder) / name))

    def _yaml(self, path: Path) -> dict[str, Any]:
        import yaml  # takes as long as all other modules of a small answer

        text = self._text(path)
        try:
            result = yaml.safe_load(text) if text else {}
        except (yaml.YAMLError, RecursionError, ValueError):
            self._missing(f"{self._name(path)} is not YAML")
            return {}
        return result if isinstance(result, dict) else {}

    def _text(self, path: Path, *, limit: int = _SIZE_MAX) -> str:
        """ "" where there is no such file."""
        try:
            if not path.is_file():
                return ""
            with path.open("rb") as file:
                content = file.read(limit + 1)
        except OSError as error:
            self._missing(f"{self._name(path)}: {error.strerror or error}")
            return ""
        if len(content) > limit:
            self._missing(f"{self._name(path)} has more than {limit >> 10} KiB")
            return ""
        return content.decode("utf-8", "replace")

    def _name(self, path: Path) -> str:
        inside = path.is_relative_to(self._folder)
        return _shown(path.relative_to(self._folder) if inside else path)

    def _missing(self, sentence: str) -> None:
        """Options may be there that nobody here knows."""
        self._whole = False
        self._note(sentence)

    def _note(self, sentence: str) -> None:
        if len(self._notes) < _FOLDERS_MAX:
            self._notes[sentence] = None


class _Platform:
    """The options of platformio.ini that name files; nothing is known of its boards."""

    def __init__(self, text: str) -> None:
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        try:
            parser.read_string(text)
        except configparser.Error:
            parser.clear()
        shared = dict(parser["platformio"]) if parser.has_section("platformio") else {}
        self.sources = shared.get("src_dir", "src") if text else "main"
        self._sections = {
            name.removeprefix("env:"): parser[name]
            for name in parser.sections()
            if name.startswith("env:")
        }
        first = re.split(r"[,\s]+", shared.get("default_envs", "").strip())
        self._order = sorted(self._sections, key=lambda name: name not in first)
        self.chip = self._stated("board_build.mcu")
        named = re.search(
            r"-D\s*SDKCONFIG_DEFAULTS=\\?[\"']?([^\"'\\\s]+)",
            self._stated("board_build.cmake_extra_args"),
        )
        self.defaults = tuple(named[1].split(";")) if named else ()

    def sdkconfigs(self, folder: Path) -> list[str]:
        """The names of the files of all environments, that of the default one first."""
        key = "board_build.esp-idf.sdkconfig_path"
        names = [self._sections[each].get(key, f"sdkconfig.{each}") for each in self._order]
        return [name for name in dict.fromkeys(names) if _is_file(folder / name)]

    def _stated(self, key: str) -> str:
        return self._sections[self._order[0]].get(key, "") if self._order else ""


def _version(lock: Mapping[str, Any]) -> Stated:
    dependencies = lock.get("dependencies")
    idf = dependencies.get("idf") if isinstance(dependencies, dict) else None
    return _stated(idf.get("version") if isinstance(idf, dict) else None, _LOCK)


def _stated(value: object, file: str) -> Stated:
    return Stated(value=value, file=file) if isinstance(value, str) and value else Stated()


def _below(folder: Path) -> Iterable[Path]:
    try:
        results = sorted(folder.iterdir()) if folder.is_dir() else []
    except OSError:
        return []
    return [each for each in results if _is_component(each)]


def _is_component(folder: Path) -> bool:
    return any(_is_file(folder / name) for name in ("CMakeLists.txt", "component.mk"))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _shown(path: Path) -> str:
    return printable(path.as_posix(), limit=400)
