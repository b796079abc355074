"""A wheel out of the Python files and one system's native files. The same files give the same
bytes: names are in order, and no time and no right of a file gets in."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_TIME = (1980, 1, 1, 0, 0, 0)  # the first that the format knows


def read_pure(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel by their names, without those that are written anew."""
    with ZipFile(wheel) as archive:
        return {
            name: archive.read(name)
            for name in archive.namelist()
            if not name.endswith(("/", ".dist-info/RECORD", ".dist-info/WHEEL"))
        }


def read_folder(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def write_wheel(files: Mapping[str, bytes], platform: str, zig: str, out: Path) -> Path:
    """The wheel of these files in the folder `out`. `zig`: the compiler's version."""
    (info,) = {name.split("/")[0] for name in files if name.endswith(".dist-info/METADATA")}
    tag = f"py3-none-{platform}"
    stated = {
        "Wheel-Version": "1.0",
        "Generator": f"heapscope wheels (zig {zig})",
        "Root-Is-Purelib": "false",
        "Tag": tag,
    }
    record = f"{info}/RECORD"
    whole = dict(files)
    whole[f"{info}/WHEEL"] = "".join(
        f"{name}: {value}\n" for name, value in stated.items()
    ).encode()
    lines = [f"{name},{_digest(whole[name])},{len(whole[name])}\n" for name in sorted(whole)]
    whole[record] = "".join([*lines, f"{record},,\n"]).encode()

    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"{info.removesuffix('.dist-info')}-{tag}.whl"
    # The description of a wheel stands at its end, so that it can be read quickly.
    ordered = sorted(whole, key=lambda name: (name.startswith(info), name == record, name))
    with ZipFile(wheel, "w") as archive:
        for name in ordered:
            entry = ZipInfo(name, _TIME)
            entry.compress_type = ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100644) << 16
            archive.writestr(entry, whole[name], compresslevel=9)
    return wheel


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode("ascii")
    return f"sha256={digest.rstrip('=')}"
