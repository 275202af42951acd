"""What a session has done so far, and what is left open."""

from building import NOW

from hindbrain.core.account import account
from hindbrain.core.model.activity import Activity, Deed, Result


def a_log(*deeds: tuple[object, ...]) -> list[Activity]:
    """(deed, subject, result, detail) each."""
    made = []
    for number, (deed, *rest) in enumerate(deeds):
        subject, result, detail = (*rest, *("", Result.UNKNOWN, "")[len(rest) :])
        made.append(
            Activity(
                id=f"act-{number}",
                at=NOW,
                project="prj-one",
                session="s1",
                deed=Deed(str(deed)),
                subject=str(subject),
                result=Result(str(result)),
                detail=str(detail),
            )
        )
    return made


def test_an_account_tells_what_was_done_and_what_is_left() -> None:  # LK-001, LK-115..119
    told = account(
        a_log(
            ("prompt", "Split the\nparser"),
            ("edit", "a.py"),
            ("gate", "tests", "passed"),
            ("commit", "abc123"),
            ("edit", "b.py"),
            ("edit", "a.py"),
            ("gate", "lint", "failed", "E501 line too long"),
            ("completion", "Parser split"),
        )
    )
    assert told.goal == "Split the parser" and told.commit == "abc123" and told.completed == ("Parser split",)
    assert told.edited == told.uncommitted == told.untested == ("b.py", "a.py")
    assert dict(told.gates) == {"tests": Result.PASSED, "lint": Result.FAILED}
    assert told.failures == ("lint: E501 line too long",)
    assert told.done == "Parser split; edited b.py, a.py; tests passed, lint failed"


def test_what_passes_later_is_not_open_any_more() -> None:
    told = account(a_log(("gate", "tests", "failed", "boom"), ("edit", "a.py"), ("gate", "tests", "passed")))
    assert told.failures == () and told.untested == ()


def test_a_session_without_deeds_has_nothing_to_tell() -> None:
    told = account(a_log(("session", "startup"), ("end", "exit")))
    assert told.is_empty and told.done == ""
