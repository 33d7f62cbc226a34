"""`steiner torques` on large files: every format the same numbers, bounded memory, runs that go on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import steiner as st
from steiner.cli import torques as command
from steiner.files import efforts, motion, parquet

polars = pytest.importorskip("polars")
ARM = "gallery:ur5"
NAMES = ["t", *(f"{x}{k}" for x in ("q", "qd", "qdd") for k in range(1, 7))]


def write(path: str, rows: int = 3000, names: list[str] = NAMES, **columns: np.ndarray) -> dict[str, np.ndarray]:
    numbers = np.random.default_rng(rows).normal(size=(len(names), rows))
    table = dict(zip(names, numbers, strict=True)) | {"t": np.arange(rows) * 1e-3} | columns
    frame = polars.DataFrame(table)
    frame.write_parquet(path) if path.endswith(".parquet") else frame.write_csv(path)
    return table


def efforts_of(table: dict[str, np.ndarray]) -> np.ndarray:
    q, qd, qdd = (np.stack([table[f"{x}{k}"] for k in range(1, 7)], axis=-1) for x in ("q", "qd", "qdd"))
    return st.load(ARM).inverse_dynamics(q, qd, qdd)


def read(path: str) -> np.ndarray:
    return (polars.read_parquet(path) if path.endswith(".parquet") else polars.read_csv(path)).to_numpy()


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(motion, "PIECE", 50_000)
    monkeypatch.setattr(parquet, "MOST_ROWS", 1000)
    monkeypatch.setattr(parquet, "BLOCK", 300)


@pytest.mark.parametrize("data", ["m.csv", "m.parquet"])
@pytest.mark.parametrize("out", ["o.csv", "o.parquet"])
def test_files_of_both_formats_give_the_bits_of_a_call(steiner, data, out):
    table = write(data)
    code, _, err = steiner("torques", ARM, data, "-o", out)
    assert code == 0 and "3000 rows" in err
    np.testing.assert_array_equal(read(out), np.column_stack([table["t"], efforts_of(table)]))


def test_without_polars_a_csv_file_gives_the_same(steiner, monkeypatch):
    write("m.csv")
    assert steiner("torques", ARM, "m.csv", "-o", "quick.csv")[0] == 0
    monkeypatch.setattr(motion, "polars_or_none", lambda: None)
    monkeypatch.setattr(efforts, "polars_or_none", lambda: None)
    assert steiner("torques", ARM, "m.csv", "-o", "plain.csv")[0] == 0
    np.testing.assert_array_equal(read("quick.csv"), read("plain.csv"))
    monkeypatch.setattr(parquet, "polars_or_none", lambda: None)
    Path("m.parquet").write_bytes(b"PAR1")
    code, _, err = steiner("torques", ARM, "m.parquet", "-o", "o.csv")
    assert code == 2 and "pip install 'steiner[data]'" in err


def test_narrow_and_whole_numbers_are_taken_for_what_they_are(steiner):
    table = write("m.parquet", q1=np.arange(3000), q2=np.linspace(0, 1, 3000, dtype=np.float32))
    assert steiner("torques", ARM, "m.parquet", "-o", "o.parquet")[0] == 0
    np.testing.assert_array_equal(read("o.parquet")[:, 1:], efforts_of(table))


def test_the_shares_sum_to_the_torques(steiner):
    table = write("m.parquet", rows=50)
    assert steiner("torques", ARM, "m.parquet", "-o", "o.parquet", "--breakdown")[0] == 0
    frame = polars.read_parquet("o.parquet")
    joints = st.load(ARM).joint_names
    shares = {name.rpartition(".")[2] for name in frame.columns[1:]} - {"tau"}
    assert {"gravity", "inertial", "coriolis", "friction"} <= shares and "external" not in shares
    np.testing.assert_array_equal(frame.select([f"{j}.tau" for j in joints]).to_numpy(), efforts_of(table))
    for j in joints:
        total = sum(frame[f"{j}.{share}"] for share in shares)
        np.testing.assert_allclose(total, frame[f"{j}.tau"], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("data", ["m.csv", "m.parquet"])
def test_positions_alone_are_enough_and_the_filter_is_told(steiner, data):
    t, w = np.arange(2000) * 1e-3, 2 * np.pi * np.arange(1, 7)
    write(data, 2000, NAMES[:7], **{f"q{k}": np.sin(w[k - 1] * t) for k in range(1, 7)})
    code, _, err = steiner("torques", ARM, data, "-o", "o.parquet")
    assert code == 0 and "cubics fitted to 15 rows" in err and "84.6 Hz" in err and "46.3 Hz" in err
    assert "84.6 Hz" in polars.read_parquet_metadata("o.parquet")["steiner.rates"]
    wt = t[:, None] * w
    expected = st.load(ARM).inverse_dynamics(np.sin(wt), w * np.cos(wt), -w * w * np.sin(wt))
    inner = slice(20, -20)
    error = np.abs(read("o.parquet")[inner, 1:] - expected[inner]).max(axis=0)
    assert (error < 0.02 * np.abs(expected).max(axis=0)).all()
    code, _, err = steiner("torques", ARM, data, "-o", "o2.csv", "--window", "8")
    assert code == 2 and "odd number" in err


BAD = {
    "null": ({"q2": [0.0] * 7 + [None] + [0.0] * 12}, "m.parquet: row 8: column 'q2'"),
    "nan": ({"q3": np.array([0.0] * 19 + [np.nan])}, "m.parquet: row 20: column"),
    "infinite": ({"qdd6": np.array([np.inf] + [0.0] * 19)}, "m.parquet: row 1: column"),
    "words": ({"q1": ["a"] * 20}, "m.parquet: column 'q1' holds String; expected numbers"),
    "a stranger": ({"speed": np.zeros(20)}, "m.parquet: no column named 'speed'"),
    "overflow": ({"qd1": np.array([0.0] * 4 + [1e200] + [0.0] * 15)}, "m.parquet: row 5: the torques of this row"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_row_of_a_parquet_file_is_told(steiner, case, monkeypatch):
    columns, says = BAD[case]
    write("m.parquet", 20, **columns)
    code, out, err = steiner("torques", ARM, "m.parquet", "-o", "o.csv")
    assert (code, out) == (2, "") and err.count("\n") == 1 and f"error: {says}" in err
    assert [p.name for p in Path().iterdir()] == ["m.parquet"]


def thrift(x: int) -> bytes:
    """A whole number ≥ 0 in Thrift's compact protocol: twice as large, seven bits in a byte, the lowest first."""
    count = max((2 * x).bit_length() + 6, 7) // 7
    return bytes((2 * x >> 7 * k & 127) | (128 if k < count - 1 else 0) for k in range(count))


def test_places_and_rows_that_a_file_cannot_hold_are_told_before_polars_panics(steiner):
    write("m.parquet")
    whole = Path("m.parquet").read_bytes()
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    found = parquet.footer(Path("m.parquet"))
    for (rows, wrong), says in {
        (found[3], found[3] + 64): f"it says {found[3] + 64} rows, its row groups say {found[3]}",
        (found[4][0][1][0][3][7], 1 << 30): "are said to be a column, of a file of",
    }.items():
        before, after = thrift(rows), thrift(wrong)
        broken = whole[start:-8].replace(before, after, 1)
        Path("m.parquet").write_bytes(whole[:start] + broken + len(broken).to_bytes(4, "little") + b"PAR1")
        code, _, err = steiner("torques", ARM, "m.parquet", "-o", "o.csv")
        assert code == 2 and "error: m.parquet: cannot be read as Parquet: " in err and says in err
        assert err.count("\n") == 1


def test_bad_rows_of_both_formats_can_be_left_out(steiner):
    values = np.zeros(3000)
    values[[5, 2500, 2501]] = np.nan
    table = write("m.parquet", q1=values)
    write("m.csv", q1=values)
    for data in ("m.parquet", "m.csv"):
        code, _, err = steiner("torques", ARM, data, "-o", f"{data}.csv", "--skip-bad")
        assert code == 0 and "2997 rows" in err and err.count("skipped") == 3
        good = np.isfinite(values)
        np.testing.assert_array_equal(read(f"{data}.csv")[:, 1:], efforts_of({k: v[good] for k, v in table.items()}))
    assert "m.csv:7: column" in err and "m.csv:2502: column" in err


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 100, b"q1,q2\n"])
def test_what_is_no_parquet_file_is_told(steiner, content):
    Path("m.parquet").write_bytes(content)
    code, _, err = steiner("torques", ARM, "m.parquet", "-o", "o.csv")
    assert code == 2 and "error: m.parquet: cannot be read as Parquet" in err and "Traceback" not in err


def test_a_broken_parquet_file_is_told(steiner):
    write("m.parquet")
    whole = Path("m.parquet").read_bytes()
    Path("m.parquet").write_bytes(whole[:2000] + bytes(3000) + whole[5000:])
    code, _, err = steiner("torques", ARM, "m.parquet", "-o", "o.csv")
    assert code == 2 and "error: m.parquet: " in err
    assert not Path("o.csv").exists()


# ---- interruption ------------------------------------------------------------------------------


class Stopped(BaseException):
    """As a signal ends the program."""


@pytest.fixture
def stop_after(monkeypatch):
    """Note the state after every block, and end the program at a block."""

    def arrange(blocks: int) -> None:
        monkeypatch.setattr(command, "CHECKPOINT", 0.0)
        left = iter(range(blocks))

        def counted(*args):
            if next(left, None) is None:
                raise Stopped
            return finite(*args)

        monkeypatch.setattr(efforts, "finite", counted)

    finite = efforts.finite
    return arrange


@pytest.mark.parametrize("positions", [False, True])
@pytest.mark.parametrize("data", ["m.csv", "m.parquet"])
@pytest.mark.parametrize("out", ["o.csv", "o.parquet"])
def test_an_interrupted_run_goes_on(steiner, stop_after, monkeypatch, data, out, positions):
    values = np.random.default_rng(0).normal(size=3000)
    values[[7, 2900]] = np.nan
    write(data, names=NAMES[:7] if positions else NAMES, q1=values)
    words = ["torques", ARM, data, "--skip-bad", "-o"]
    assert steiner(*words, f"whole.{out}")[0] == 0
    Path(out).write_text("a good file")
    stop_after(2)
    with pytest.raises(Stopped):
        steiner(*words, out, "--resume", "--force")
    assert Path(out).read_text() == "a good file" and len(list(Path().glob(".steiner-*"))) == 2
    (part,) = Path().glob(".steiner-*.part")
    with part.open("ab") as file:
        file.write(b"written after the last note")
    stop_after(100)
    code, _, err = steiner(*words, out, "--resume", "--force")
    assert code == 0 and "going on behind row" in err and "2998 rows" in err and err.count("warning: skipped") == 2
    np.testing.assert_array_equal(read(out), read(f"whole.{out}"))
    assert not list(Path().glob(".steiner-*"))


def test_a_run_does_not_go_on_with_another_file_or_other_wishes(steiner, stop_after):
    write("m.csv")
    stop_after(2)
    with pytest.raises(Stopped):
        steiner("torques", ARM, "m.csv", "-o", "o.csv", "--resume")
    stop_after(100)
    assert "going on" not in steiner("torques", ARM, "m.csv", "-o", "o.csv", "--resume", "--units", "deg")[2]
    write("m.csv", 3001)
    assert "going on" not in steiner("torques", ARM, "m.csv", "-o", "o.csv", "--resume", "--force")[2]


def test_a_row_that_cannot_be_read_leaves_nothing_to_go_on_from(steiner, stop_after):
    values = np.zeros(3000)
    values[2900] = np.nan
    write("m.csv", q1=values)
    stop_after(100)
    assert steiner("torques", ARM, "m.csv", "-o", "o.csv", "--resume")[0] == 2
    assert [p.name for p in Path().iterdir()] == ["m.csv"]


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_two_runs_do_not_write_one_draft(steiner, stop_after):
    write("m.csv")
    stop_after(2)
    with pytest.raises(Stopped):
        steiner("torques", ARM, "m.csv", "-o", "o.csv", "--resume")
    import fcntl

    stop_after(100)
    (part,) = Path().glob(".steiner-*.part")
    with part.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        code, _, err = steiner("torques", ARM, "m.csv", "-o", "o.csv", "--resume")
        assert code == 2 and "being written by another program" in err
    assert "going on" in steiner("torques", ARM, "m.csv", "-o", "o.csv", "--resume")[2]


# ---- memory ------------------------------------------------------------------------------------

PEAK = """
import sys
from steiner.cli import program
program()(sys.argv[1:], standalone_mode=False)
print(*(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("group", [1 << 18, 1_000_000])
def test_memory_is_bounded_whatever_the_size_of_the_file(tmp_path, group):
    block = np.random.default_rng(0).normal(size=(len(NAMES), 250_000))
    frame = polars.DataFrame(dict(zip(NAMES, block, strict=True)))
    frame = polars.concat([frame] * 10).with_columns(t=polars.int_range(2_500_000) * 1e-3)
    frame.write_parquet(tmp_path / "m.parquet", row_group_size=group)
    frame[:600_000].write_csv(tmp_path / "m.csv")
    assert min(f.stat().st_size for f in tmp_path.iterdir()) > 200_000_000
    for data in ("m.parquet", "m.csv"):
        words = ["torques", ARM, data, "-o", f"o{data}"]
        done = subprocess.run([sys.executable, "-c", PEAK, *words], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) < 300_000  # kB; `ru_maxrss` would count what the process that started it has


@pytest.mark.parametrize("group", [1000, 70_000, 300_000])
def test_the_largest_row_group_is_found_in_the_footer(tmp_path, group):
    rows, file = 100_000, tmp_path / "m.parquet"
    frame = polars.DataFrame({"t": np.arange(rows) * 1.0, "flag": np.arange(rows) % 2 == 0, "word": ["a"] * rows})
    frame.write_parquet(file, row_group_size=group)
    assert parquet.largest_group(parquet.footer(file)) == min(group, rows)
    assert not parquet.misplaced(parquet.footer(file), file.stat().st_size)
    whole, rng = bytearray(file.read_bytes()), np.random.default_rng(group)
    footer = int.from_bytes(whole[-8:-4], "little")
    for _ in range(300):
        wrong = whole[-8 - footer :]
        wrong[rng.integers(footer)] = rng.integers(256)
        file.write_bytes(b"PAR1" + wrong)
        found = parquet.footer(file)  # no error, no hang
        assert parquet.largest_group(found) > -np.inf and isinstance(parquet.misplaced(found, 10_000), str)


def test_angles_of_many_turns_and_other_separators_are_told(steiner):
    head = "t,q1,q2,qd1,qd2,qdd1,qdd2"
    Path("motion.csv").write_text(f"{head}\n0,0,0,0,0,0,0\n1,6.28,90,0,0,0,0\n2,180,90,0,0,0,0\n")
    code, _, err = steiner("torques", "rr", "motion.csv", "-o", "out.csv")
    assert code == 0 and err.count("warning") == 1
    assert "motion.csv:3: 90.0 rad are 14.3 turns" in err and "--units deg" in err
    code, _, err = steiner("torques", "rr", "motion.csv", "-o", "deg.csv", "--units", "deg")
    assert code == 0 and "warning" not in err
    for separator in "; \t|":
        Path("other.csv").write_text(f"{head}\n0,0,0,0,0,0,0\n".replace(",", separator))
        code, _, err = steiner("torques", "rr", "other.csv", "-o", "other_out.csv")
        assert code == 2 and "other.csv:1: columns are separated by something else than commas" in err
    Path("long.csv").write_text(f"{head}\n0,0,0,0,0,0,0\n{'0.1,' * 1_000_000}")
    code, _, err = steiner("torques", "rr", "long.csv", "-o", "long_out.csv")
    assert code == 2 and "long.csv:3" in err and not Path("long_out.csv").exists()
