"""The command that times recall: it searches for real, and prints what the README quotes."""

import re
import subprocess
import sys
from pathlib import Path

from tests.project import ROOT

THREADS = (60, 90)
OTHERS, TIMES = 200, 3
COLUMNS = 8
SMALL = ["--threads", "60,90", "--others", str(OTHERS), "--times", str(TIMES)]


def run(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "evals.recall.timing", str(folder), *SMALL],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_table_is_printed_and_what_was_written_is_used_again(data_folder: Path) -> None:
    first, again = run(data_folder), run(data_folder)
    records = 2 * sum(THREADS) + OTHERS
    for printed in (first, again):
        assert printed.startswith(f"{records} records")
        gates = re.findall(r"(\d+\.\d\d) \(worst (\d+\.\d\d)\)", printed)
        assert len(gates) == 5
        busy = re.search(r"at work in (\d+) of (\d+) turns", printed)
        assert busy is not None
        assert int(busy[1]) > 0
        lines = [line for line in printed.splitlines() if re.match(r"\| \d", line)]
        rows = [line.strip("| ").split(" | ") for line in lines]
        assert [int(row[0]) for row in rows] == list(THREADS)
        for row in rows:
            assert len(row) == COLUMNS
            assert all(float(cell) >= 0 for cell in row)
            assert float(row[5]) > 0
        assert "load average" in printed
