"""Commands and configurations of a few lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.config.config import Config, read_config

Predict = Callable[..., dict[str, Any]]
MakeConfig = Callable[..., Config]


@pytest.fixture
def configure(tmp_path: Path) -> MakeConfig:
    """configure("SPIRAM=y", chip="esp32"): as a sdkconfig.defaults with these lines."""

    def make(text: str = "IDF_X=y", *, chip: str = "esp32", idf: str = "5.5") -> Config:
        path = tmp_path / "made"
        path.write_text("".join(f"CONFIG_{line}\n" for line in text.split()), encoding="utf-8")
        return read_config([path], chip=chip, sdk=idf)

    return make


@pytest.fixture
def predict(tmp_path: Path) -> Predict:
    """predict("LWIP_TCP_WND_DEFAULT=8192", "--chip", "esp32"): the command's JSON, which its schema
    allows."""
    validator = jsonschema.Draft202012Validator(schema_of("predict"))

    def run(text: str, *args: object) -> dict[str, Any]:
        path = tmp_path / "sdkconfig.defaults"
        path.write_text("".join(f"CONFIG_{line}\n" for line in text.split()), encoding="utf-8")
        done = CliRunner().invoke(app, ["predict", str(path), *map(str, args), "--json", "-"])
        assert done.exit_code == 0, done.output
        document: dict[str, Any] = json.loads(done.stdout)
        validator.validate(document)
        return document

    return run
