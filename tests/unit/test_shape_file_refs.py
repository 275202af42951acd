"""Which files a text names, and what such a name matches, by example."""

import pytest

from hindbrain.core.shape import file_refs_of, matches_path


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("Root cause: SparkleAdapter.swift:45 - nil feed", ("SparkleAdapter.swift",)),
        (
            "see internal/session/*.go and `src/app/main.py:45`, (docs/a.md).",
            ("internal/session/*.go", "src/app/main.py", "docs/a.md"),
        ),
        ("Tests live in tests/unit and use pytest", ("tests/unit",)),
        (r"C:\repo\src\main.py:10 and src\app\a.ts", ("C:/repo/src/main.py", "src/app/a.ts")),
        ("[guide](docs/guide.md#L3) and **src/a.py**", ("docs/guide.md", "src/a.py")),
        ("./run.sh, ../x/y and ~/z/.config", ("run.sh", "../x/y", "~/z/.config")),
        ("**/*.py and *.ts and tests/test_a.py::test_b", ("**/*.py", "*.ts", "tests/test_a.py")),
        ("Makefile, Dockerfile, .env, go.mod", ("Makefile", "Dockerfile", ".env", "go.mod")),
        ("/etc/hosts and /tmp/x.log", ("/etc/hosts", "/tmp/x.log")),
        ("app/[slug]/page.tsx and @/components/Button.tsx", ("app/[slug]/page.tsx", "@/components/Button.tsx")),
        ("a.py then b.py then a.py", ("a.py", "b.py")),
    ],
)
def test_paths_and_file_names_are_found(text: str, refs: tuple[str, ...]) -> None:
    assert file_refs_of(text) == refs


@pytest.mark.parametrize(
    "text",
    [
        "and/or, requests/minute, w/o, n/a, I/O, TCP/IP, client/server",
        "2024/01/02, 24/7, 1/2, 1.2.3, v1.2, Go 1.21+",
        "e.g. this, i.e. that, etc. and so on...",
        "https://x.com/a.py www.example.com/a.js example.com github.com/foo/bar.go",
        "user@host.com, git@github.com:a/b.git, @types/node",
        "session.Get() response.json() console.log Node.js Next.js",
        r"\d+\.\d+ and \n",
        "application/json origin/main /api/users",
        "",
    ],
)
def test_what_only_looks_like_a_path_is_left_alone(text: str) -> None:
    assert file_refs_of(text) == ()


def test_at_most_twenty_files_are_kept() -> None:
    assert file_refs_of(" ".join(f"f{i}.py" for i in range(50))) == tuple(f"f{i}.py" for i in range(20))


@pytest.mark.parametrize(
    ("ref", "path"),
    [
        ("internal/session/*.go", "internal/session/ralph.go"),  # DX-103, F-14
        ("internal/session", "internal/session/ralph.go"),  # DX-103
        ("internal/session/", "internal/session/ralph.go"),  # DX-103
        ("internal/session/ralph.go", "internal/session"),  # DX-103: both ways
        ("internal/session/*.go", "internal/session"),  # DX-103: both ways
        ("internal/sess*", "internal/session/ralph.go"),  # DX-103: a trailing star
        ("**/*.py", "a/b/c.py"),  # F-14
        ("**/*.py", "c.py"),  # F-14
        ("src/**", "src/a/b"),  # F-14
        ("src/**/x.py", "src/x.py"),  # F-14
        ("src/**/x.py", "src/a/b/x.py"),  # F-14
        ("*.py", "a/b.py"),  # F-14
        ("a?c.py", "abc.py"),  # F-14
        ("session.py:45", "a/b/session.py"),
        ("session.py", "a/b/session.py"),
        ("src/a.py", "/home/u/repo/src/a.py"),
        ("src/auth/", "/home/u/repo/src/auth/x.py"),
        (r"src\a.py", "./src/a.py"),
    ],
)
def test_a_reference_matches_its_path(ref: str, path: str) -> None:
    assert matches_path(ref, path)


@pytest.mark.parametrize(
    ("ref", "path"),
    [
        ("internal/session/*.go", "internal/api/x.go"),  # DX-103
        ("internal/session/*.go", "internal/session/sub/x.go"),  # F-14: a star stays in its folder
        ("internal/sess", "internal/session/ralph.go"),  # F-14: prefixes end at a slash
        ("session.py", "a/mysession.py"),
        ("src/a.py", "vendor/src/a.py"),
        ("", "x"),  # F-14
        ("x", ""),  # F-14
        ("/", "a"),  # F-14
        ("", ""),  # F-14
    ],
)
def test_a_reference_matches_no_other_path(ref: str, path: str) -> None:
    assert not matches_path(ref, path)
