"""Lines of an activity log for tests: a session that explores, plans, fails, repairs, is reviewed and finishes."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from building import NOW

from hindbrain.core.learn.edits import essence
from hindbrain.core.model.activity import Activity, Deed, Result


class Log:
    """Notes down deeds one after the other, a second apart."""

    def __init__(self, session: str = "s-one", project: str = "prj-one") -> None:
        self.activities: list[Activity] = []
        self._session, self._project = session, project

    def add(self, deed: str, subject: str = "", **given: Any) -> Activity:
        number = len(self.activities) + 1
        one = Activity(
            id=f"act-{self._session}-{number}",
            at=NOW + timedelta(seconds=number),
            project=self._project,
            session=self._session,
            deed=Deed(deed),
            subject=subject,
            seq=number,
            **given,
        )
        self.activities.append(one)
        return one

    def ran(self, command: str, code: int | None, output: str = "", **given: Any) -> Activity:
        result = Result.UNKNOWN if code is None else Result.FAILED if code else Result.PASSED
        return self.add("command", command, result=result, detail=output, data={"exit_code": code}, **given)

    def edited(self, path: str, old: str = "", new: str = "") -> Activity:
        return self.add("edit", path, detail=essence(old, new))

    def gate(self, name: str, result: str, output: str = "", **given: Any) -> Activity:
        return self.add("gate", name, result=Result(result), detail=output, **given)

    def agent(self, kind: str, said: str) -> None:
        """A subagent comes, says something, and goes."""
        name = f"agent-{len(self.activities)}"
        self.add("agent", kind, agent=name, agent_type=kind)
        self.add("response", detail=said, agent=name, agent_type=kind)
        self.add("end", "agent", agent=name, agent_type=kind)


PYTEST_FAILED = """\
============================= test session starts ==============================
collected 3 items

tests/test_pool.py F..                                                   [100%]

=================================== FAILURES ===================================
    def test_reuse():
>       pool = Pool(loop=None)
E       RuntimeError: There is no current event loop in thread 'MainThread'.

src/db/pool.py:14: RuntimeError
=========================== short test summary info ============================
FAILED tests/test_pool.py::test_reuse - RuntimeError: There is no current eve...
========================= 1 failed, 2 passed in 0.12s ==========================
"""
EXPLORED = """\
I explored the code.

## Architecture
- `Pool` in `src/db/pool.py` owns every connection; nothing else opens one.
- The HTTP layer talks to the database only through `src/db/queries.py`.
- I will look at more files next.
- `src/db/`

## Dependencies
- `asyncpg` is pinned to 0.29 because 0.30 drops Python 3.8.

The worker depends on `redis` 7 for its streams. It might be slow. Uses `dict` comprehensions everywhere.
"""
PLANNED = """\
### Decisions
1. We decided to create one loop per process instead of one per call, because asyncpg ties a pool to its loop.
2. Write tests.

Constraints:
- A pool must never be shared between two event loops.
- You must run the tests.
"""
REVIEWED = """\
Reviewed the change.

**Good patterns:**
- Clean separation of the pool.

## Issues
1. **Connection leak on error**: `acquire()` in `src/db/pool.py` is not released when the query raises.
2. [HIGH] `close()` is never awaited, so the process hangs at exit.
   - Seen with Python 3.12.
3. Nit: rename `x`.

### Verdict
Fine otherwise.
"""
FINISHED = """\
All done, the tests pass.

Convention: every public coroutine of `src/db` takes the pool as its first argument.
"""


def a_session() -> Sequence[Activity]:
    """All five extraction points, a command that was called another way, and much that teaches nothing."""
    log = Log()
    log.add("session", "startup")
    log.add("prompt", detail="The pool is broken, please repair it")
    log.agent("Explore", EXPLORED)
    log.agent("Plan", PLANNED)
    log.ran("pytest -q 2>&1 | tail -20", 0, PYTEST_FAILED)
    log.ran("cat src/db/pool.py", 0)
    log.edited(
        "src/db/pool.py", "self.loop = asyncio.get_event_loop()\nx = 1", "self.loop = asyncio.new_event_loop()\nx = 1"
    )
    log.ran("pytest -q 2>&1 | tail -20", 0, "3 passed in 0.11s")
    log.ran("npm install", 1, "npm error code ERESOLVE\nnpm error ERESOLVE could not resolve")
    log.ran("npm install --legacy-peer-deps", 0)
    log.ran("grep -rn get_event_loop src", 1)
    log.ran("pytest tests/test_slow.py", 1, "FAILED tests/test_slow.py::test_t - TimeoutError: late\n1 failed in 1s")
    log.ran("pytest tests/test_slow.py", 0, "1 passed in 1s")
    log.agent("code-reviewer", REVIEWED)
    log.edited("src/db/pool.py", "conn = self.acquire()", "async with self.acquire() as conn:")
    log.add("response", detail=FINISHED)
    log.add("completion", "done")
    return log.activities


# The example of the Loki document, section Episodic Memory Schema.
DOCUMENT: dict[str, Any] = {
    "id": "ep-2026-01-06-001",
    "task_id": "task-042",
    "timestamp": "2026-01-06T10:30:00Z",
    "duration_seconds": 342,
    "agent": "eng-001-backend",
    "context": {
        "phase": "development",
        "goal": "Implement POST /api/todos endpoint",
        "constraints": ["No third-party deps", "< 200ms response"],
        "files_involved": ["src/routes/todos.ts", "src/db/todos.ts"],
    },
    "action_log": [
        {"t": 0, "action": "read_file", "target": "openapi.yaml"},
        {"t": 5, "action": "write_file", "target": "src/routes/todos.ts"},
        {"t": 120, "action": "run_test", "result": "fail", "error": "missing return type"},
        {"t": 140, "action": "edit_file", "target": "src/routes/todos.ts"},
        {"t": 180, "action": "run_test", "result": "pass"},
    ],
    "outcome": "success",
    "errors_encountered": [
        {
            "type": "TypeScript compilation",
            "message": "Missing return type annotation",
            "resolution": "Added explicit :void to route handler",
        }
    ],
    "artifacts_produced": ["src/routes/todos.ts", "tests/todos.test.ts"],
    "git_commit": "abc123",
}
