"""From nothing to a number: CPU time of new processes beside `import numpy`, in turns; parts, in microseconds.

`python -m bench.start` prints the table; `make bench` adds it to its results.
"""

from __future__ import annotations

import compileall
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from statistics import median

import steiner as st
from bench.goals import starts, told
from bench.robots import ROBOTS

FILE = str(distribution("example-robot-data").locate_file(f"{ROBOTS}/panda_description/urdf/panda.urdf"))
PANDA = f"""
import warnings
warnings.simplefilter("ignore")
import steiner as st
robot = st.load({FILE!r})
"""
FIRST = PANDA + "import numpy as np\nq = np.zeros(robot.n)\nrobot.inverse_dynamics(q, q, q)"
HELP = "import sys\nsys.argv = ['steiner', '--help']\nfrom steiner.__main__ import main\nmain()"
CASES = {  # program, goal; numpy is the unit
    "numpy": ("import numpy", 1.0),
    "Panda loaded": (PANDA, 1.2),
    "first torque, from the cache": (FIRST, 1.4),
    "first torque, cold": (FIRST, 2.0),
    "steiner --help": (HELP, 1.4),
}
PARTS = 3_000


@dataclass
class StartRow:
    """CPU time of a new process, in seconds and in times of that of `import numpy`."""

    case: str
    seconds: float
    ratio: float
    goal: float


def start_rows(quick: bool = False) -> list[StartRow]:
    """All programs, the median of several turns each; bytecode is there.

    Of `import numpy` the least is no measure: now and then the threads of its BLAS, which wait awake, do not get to
    run, and a tenth of the time is missing.
    """
    compileall.compile_dir(Path(st.__file__).parent, quiet=2)
    taken: dict[str, list[float]] = {name: [] for name in CASES}
    with tempfile.TemporaryDirectory() as kept:
        for _ in range(2):  # the first walks, the second makes the code that the others find
            cpu_time(FIRST, kept)
        for _ in range(5 if quick else 21):
            for name, (program, _) in CASES.items():
                with tempfile.TemporaryDirectory() as fresh:
                    taken[name].append(cpu_time(program, fresh if name.endswith("cold") else kept))
    typical = {name: median(times) for name, times in taken.items()}
    return [StartRow(name, typical[name], typical[name] / typical["numpy"], goal) for name, (_, goal) in CASES.items()]


def cpu_time(program: str, cache: str) -> float:
    """Seconds of CPU time that a new process takes for a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"STEINER_CACHE": cache}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def part_rows() -> dict[str, float]:
    """`part_times` of a new process: in one that holds much, collecting garbage would be counted with the parts."""
    program = "import json\nfrom bench.start import part_times\nprint(json.dumps(part_times()))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def part_times(repeats: int = 5) -> dict[str, float]:
    """Microseconds for each part of an assembly of thousands: made, summed, its line of the budget printed."""
    best = dict.fromkeys(("made", "summed", "printed"), float("inf"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(repeats):
            ticks = [time.process_time()]
            assembly = st.Assembly("many", [
                st.Part(f"part{k}", st.Box(0.1, 0.02, 0.03), "aluminium", pose=st.Pose(p=(0.01 * k, 0, 0)))
                for k in range(PARTS)
            ])  # fmt: skip
            ticks.append(time.process_time())
            _ = assembly.mass_properties
            ticks.append(time.process_time())
            str(assembly.budget())
            ticks.append(time.process_time())
            for name, begin, end in zip(best, ticks[:-1], ticks[1:], strict=True):
                best[name] = min(best[name], 1e6 * (end - begin) / PARTS)
    return best


if __name__ == "__main__":
    print(told(starts([vars(row) for row in start_rows()], part_rows())))
