"""The short way past click gives the same answer, letter by letter, and the same exit code."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from calling import SRC, Answer, Cli

from hindbrain.entry.cli import main, quick

SAID = "MEMORY:pitfall:The lock of `src/jobs/lock.py` expires after 30 s\nMEMORY:fix:Restart the worker – twice\n"
CHANGING = re.compile(
    r'(?<=-)[0-9a-z]{26}\b|(?<=fence=")\w+|(?<=fence=\\")\w+|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| UTC)|(?<=\.\d{3})\d+'
)
LINES = [
    "",
    "--version",
    "--help",
    "frobnicate",
    "recal lock",
    "recall lock",
    "recall lock --json",
    "recall lock --why --limit=1",
    "recall --path src/jobs/lock.py --type pitfall --type fix",
    "recall worker --persona ed --hat critic --all --strategy dex",
    "recall worker --as-of 2026-01-01 --json",
    "recall xylophone",
    "recall xylophone --why",
    "recall lokcs",
    "recall expiers --json",
    "recall",
    "recall --recent",
    "recall --recent 1 --json",
    "recall --stats",
    "recall lock --limit",
    "recall lock --limit 0",
    "recall lock --limit many --json",
    "recall lock --strategy best",
    "recall lock --as-of someday",
    "recall lock and more",
    "recall lock --nonsense",
    "recall lock --project nobody",
    "recall lock --project no/such/folder --json",
    "recall --help",
    "list --json",
    "list --order newest --limit 1",
    "search worker",
    "show mem-nothing",
    "show",
    "why mem-nothing --json",
    "receipts --verdict stored",
    "receipts --verdict odd",
    "inject --task-title lock",
    "inject --task-title lock --format dex --json",
    "inject --format odd",
    "inject --task-title lock --why",
    "inject --task-title xylophone",
    "capture",
    "capture - --persona ed --session s-1 --json",
    "capture no-such-file",
    "capture --format odd",
    "add Use tabs --tag style",
    "add Use spaces --learned 2026-01-31",
    "add Use spaces --learned 2126-01-31",
    "add Use spaces --learned someday",
    "add --content x y",
    "add --importance 11 words",
    "edit mem-nothing --title x",
    "edit mem-nothing",
    "delete mem-nothing",
    "forget mem-nothing",
    "forget mem-nothing --hard",
    "review",
    "review release rev-nothing",
    "export",
    "import no-such-file",
    "stats --json",
    "cleanup --dry-run",
    "doctor",
    "completion bash",
    "completion tcsh",
]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    made = Cli(tmp_path, monkeypatch)
    made("capture", stdin=SAID)
    shutil.copytree(made.home, tmp_path / "kept")
    return made


def steady(answer: Answer) -> tuple[str, str, int]:
    """Without what differs from run to run: ids, fences, times, and the far digits of what depends on the time."""
    return CHANGING.sub("…", answer.out), CHANGING.sub("…", answer.err), answer.code


@pytest.mark.parametrize("line", LINES)
def test_both_ways_give_the_same_answer(cli: Cli, line: str) -> None:
    stdin = "MEMORY:decision:Locks live in Redis\n" if line.startswith("capture") else ""
    answers = []
    for way in (quick.run, main.run):
        shutil.rmtree(cli.home)
        shutil.copytree(cli.home.with_name("kept"), cli.home)
        answers.append(steady(cli.through(way, *line.split(), stdin=stdin)))
    assert answers[0] == answers[1]


def test_a_plain_command_line_loads_no_click_and_any_other_does(cli: Cli) -> None:
    code = "import sys; from hindbrain.entry.cli.quick import run; run(sys.argv[1:]); sys.exit('click' in sys.modules)"
    for words, is_loaded in ((["recall", "lock"], 0), (["capture", "-"], 0), (["recall"], 1), (["recall", "-h"], 1)):
        command, environment = [sys.executable, "-c", code, *words], os.environ | {"PYTHONPATH": str(SRC)}
        done = subprocess.run(command, input=b"", capture_output=True, env=environment, check=False)
        assert done.returncode == is_loaded, done


def test_a_shell_that_completes_is_answered_by_click(cli: Cli) -> None:
    answer = cli.child("recall", "lock", _HINDBRAIN_COMPLETE="bash_source")
    assert answer.code == 0 and "_hindbrain_completion" in answer.out
