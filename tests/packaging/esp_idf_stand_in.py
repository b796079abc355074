"""ESP-IDF as far as its component heap sees it, by release: a tree with the chip's table, headers
of other components, an sdkconfig read by Espressif's own reader, and the build's functions."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from emulation.drop_in import include_folders, number_of
from needs import need_32_bits

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent / "stand_ins" / "esp_idf_heap"
COMPONENT = ROOT / "device" / "compat" / "esp_idf" / "heap"
EVERY_RELEASE = (
    *("4.2", "4.3", "4.4", "5.0", "5.1", "5.2", "5.3", "5.4", "5.5", "6.0", "6.1"),
    "master",
)


def number(release: str) -> int:
    return 602 if release == "master" else number_of(release)


def headers(release: str) -> list[Path]:
    return include_folders("6.2" if release == "master" else release)


def configured(
    chosen: tuple[str, ...], folder: Path, others: str = "", component: Path = COMPONENT
) -> dict[str, str]:
    """Writes sdkconfig.h and options.cmake of a project whose sdkconfig sets these; what is set.
    `others`: Kconfig text of other components."""
    import esp_kconfiglib as reader

    (folder / "Kconfig").write_text(f'{others}\nsource "{component / "Kconfig"}"\n', "utf-8")
    lines = "".join(f"CONFIG_{name}=y\n" for name in chosen)
    (folder / "sdkconfig").write_text(lines, encoding="utf-8")
    config = reader.Kconfig(str(folder / "Kconfig"))
    config.load_config(str(folder / "sdkconfig"))
    config.write_autoconf(str(folder / "sdkconfig.h"))
    values = {symbol.name: symbol.str_value for symbol in config.unique_defined_syms}
    on = [f'set(CONFIG_{name} "{value}")\n' for name, value in values.items() if value != "n"]
    (folder / "options.cmake").write_text("".join(on), encoding="utf-8")
    return values


def tree(release: str, folder: Path, layout: Path | None = None) -> tuple[Path, list[Path]]:
    """ESP-IDF's tree, and the files of the component soc that have the chip's table until 4.3."""
    idf = folder / "idf"
    shutil.copytree(HERE / "idf", idf)
    heap = idf / "components" / "heap"
    if layout is not None:
        shutil.copyfile(layout, heap / "port" / "esp32c3" / "memory_layout.c")
    header = [path for path in headers(release) if path.parent.name.startswith("heap_")]
    for path in header:
        shutil.copyfile(path / "heap_memory_layout.h", heap / "include" / "heap_memory_layout.h")
    if number(release) >= 404:
        return idf, []
    soc = idf / "components" / "soc"
    shutil.copytree(heap / "port", soc)
    shutil.rmtree(heap)
    heap.mkdir()
    return idf, [soc / "memory_layout_utils.c", soc / "esp32c3" / "memory_layout.c"]


def build(
    cmake,
    folder: Path,
    target: str = "esp32c3",
    release: str = "5.5",
    *,
    programs: Sequence[Path] = (HERE / "consumer.c",),
    layout: Path | None = None,
    component: Path = COMPONENT,
    optimised: str = "-Og",
) -> None:
    """Configures and builds in `folder`, where configured() wrote the options; for 32 bits."""
    need_32_bits()
    idf, soc = tree(release, folder, layout)
    folders = [path for path in headers(release) if not path.parent.name.startswith("heap_")]
    given = {
        "COMPONENT": component,
        "OPTIONS": folder / "options.cmake",
        "TARGET": target,
        "RELEASE": number(release),
        "IDF": idf,
        "SOC": ";".join(map(str, soc)),
        "HEADERS": ";".join(map(str, [*folders, HERE])),
        "PROGRAMS": ";".join(map(str, programs)),
        "OPTIMISED": optimised,
    }
    where = [f"-D{name}={value}" for name, value in given.items()]
    where += ["-DCMAKE_C_COMPILER_WORKS=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    cmake("-S", HERE, "-B", folder / "build", *where)
    cmake("--build", folder / "build", "-j2")
