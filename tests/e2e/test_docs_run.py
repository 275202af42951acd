"""The examples in the docs are true: each command of README, tutorial and recipes prints what the page says."""

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_refresh_script", ROOT / "scripts" / "docs_refresh.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


script = _load()


@needs_git
@pytest.mark.parametrize("page", script.PAGES)
def test_every_example_prints_what_the_page_says(page: str) -> None:
    problems = script.check(ROOT / page)
    assert not problems, "\n\n".join(problems)


@pytest.mark.parametrize("page", script.PAGES)
def test_every_page_has_examples_and_each_of_its_blocks_is_of_a_known_kind(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    kinds = {kind for kind, *_ in script.blocks(text.splitlines())}
    assert "console" in kinds and kinds <= {"console", "python", "text", "sh", "toml"}


PAGE = """\
# A page

```console
$ printf 'one\\ntwo\\n' | \\
  tail -1
two
$ sed 's/^. //' <<'EOF'
$ not a command
EOF
not a command
$ false
$ echo $?
1
```

```sh
exit 3  # of no interest
```

```python
print("made by a program")
```

```text
made by a program
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE, "utf-8")
    return path


def test_commands_over_several_lines_heredocs_exit_codes_and_programs_are_understood(page: Path) -> None:
    assert len(script.steps(PAGE)) == 5
    assert script.check(page) == []


@pytest.mark.parametrize(
    ("true", "false"), [("  tail -1\ntwo", "  tail -1\nthree"), ("$?\n1", "$?\n0"), ("text\nmade", "text\nwritten")]
)
def test_an_output_that_is_not_true_is_told_and_written_anew(page: Path, true: str, false: str) -> None:
    stale = PAGE.replace(true, false)
    assert stale != PAGE
    page.write_text(stale, "utf-8")
    (problem,) = script.check(page)
    assert "docs_refresh.py" in problem and false.splitlines()[1] in problem
    assert script.refreshed(stale, script.outputs(script.steps(stale))) == PAGE


def test_an_output_that_is_missing_is_written() -> None:
    empty = PAGE.replace("\n```text\nmade by a program\n```\n", "").replace("tail -1\ntwo\n", "tail -1\n")
    assert script.refreshed(empty, script.outputs(script.steps(empty))) == PAGE


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("mem-01m7gq59aehqc69nykzbfsemt5 stored", "mem-01k2x6d0q3v8r5w7y9z1b3d5f7 stored"),
        ("on 2026-11-15 23:02 UTC", "on 2027-01-01 00:00 UTC"),
        ("2026-11-15T23:02:01.123Z", "2027-01-01T00:00:00.000Z"),
        ('fence="435a4827e1f03fb27d3abf8ba732e256"', 'fence="00000000000000000000000000000000"'),
        ("SQLite 3.54.1, 4,096 bytes", "SQLite 3.51.3, 0.2 MB"),
        ("a\n...\nz", "a\nb\nc\nz"),
        ("...", "anything\nat all"),
        ("a\n...", "a"),
    ],
)
def test_what_varies_from_run_to_run_is_no_difference(said: str, printed: str) -> None:
    assert script.agrees(said.splitlines(), printed + "\n")


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("mem-01m7gq59aehqc69nykzbfsemt5 stored", "mem-01m7gq59aehqc69nykzbfsemt5 rejected"),
        ("rev-01m7gq59aehqc69nykzbfsemt5", "mem-01m7gq59aehqc69nykzbfsemt5"),
        ("a\n...\nz", "a\nb"),
        ("a", "a\nb"),
        ("", "a"),
    ],
)
def test_everything_else_is(said: str, printed: str) -> None:
    assert not script.agrees(said.splitlines(), printed + "\n")


@pytest.mark.parametrize("page", ["```console\noutput of nothing\n```\n", "```console\n$ echo never closed\n"])
def test_a_page_that_makes_no_sense_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match=r"line \d"):
        script.steps(page)


def test_examples_touch_nothing_of_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HINDBRAIN_HOME", str(tmp_path / "mine"))
    (printed,) = script.outputs(script.steps('```console\n$ touch here; echo "$HOME $HINDBRAIN_HOME"\n```\n'))
    assert printed == "/home/ada \n" and list(tmp_path.iterdir()) == []
