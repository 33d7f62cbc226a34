"""Files broken in the ways of the world, each with the outcome that it deserves: told, named, quick, no traceback.

"error" is exit code 1 or 2, "warning" and "ok" are 0; what a message must name stands in files/index.json.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path

import pytest

from steiner.cli import main

FILES = Path(__file__).parent / "files"
INDEX = json.loads((FILES / "index.json").read_text(encoding="utf-8"))
MADE = {  # too large to keep
    "json/deep.json": "[" * 100_000 + "]" * 100_000,
    "urdf/deep_nesting.urdf": f'<robot name="d">{"<a>" * 20_000}{"</a>" * 20_000}</robot>',
}
CODES = {"ok": {0}, "warning": {0}, "error": {1, 2}, "error_or_warning": {0, 1, 2}, "error_or_ok": {0, 1, 2}}


@pytest.mark.parametrize("row", INDEX, ids=[row["file"] for row in INDEX])
def test_a_broken_file_has_the_outcome_that_it_deserves(row, monkeypatch, capsys, tmp_path):
    file = tmp_path / Path(row["file"]).name
    if row["file"] in MADE:
        file.write_text(MADE[row["file"]])
    else:
        shutil.copy(FILES / row["file"], file)
    monkeypatch.chdir(tmp_path)
    command = ["torques", "gallery:rr", file.name, "-o", "out.csv"] if file.suffix == ".csv" else ["check", file.name]
    monkeypatch.setattr(sys, "argv", ["steiner", *command])
    start = time.process_time()
    with pytest.raises(SystemExit) as stop:
        main()
    told = "".join(capsys.readouterr())
    assert time.process_time() - start < 5
    assert int(stop.value.code or 0) in CODES[row["outcome"]], told
    if row["outcome"] in ("warning", "error_or_warning"):
        assert any(word in told for word in ("warning: ", "error: ", "fatal: ")), told
    for name in row["names"]:
        assert name in told
    assert file.name in told and not set(told) & {"\x1b", "\u202e"}
    if row["outcome"] == "error" and file.suffix in (".urdf", ".yaml") and file.stat().st_size:
        assert f"{file.name}:" in told
    assert {path.name for path in tmp_path.iterdir()} <= {file.name}  # nothing half written, nothing extracted
