"""What a verb does when the model that could help fails: it goes on by rules, and knows why."""

from collections.abc import Mapping

from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.model.call import Completion, NoModel, Prompt
from hindbrain.errors import BadAnswer, BudgetSpent, KeyMissing, ModelFailed


def consult(
    use: str, material: str, *, tools: Tools, schema: Mapping[str, object] | None = None
) -> Completion | NoModel:
    """What the model for `use` makes of `material`, by the prompt of that name.

    NoModel, with the reason, whenever there is no answer that can be used: an outage and "no model is meant to answer"
    differ in `is_trouble`. Never within a transaction: an answer takes as long as it takes.
    """
    if tools.model is None:
        return NoModel(why="no model is wired here")
    try:
        return tools.model.complete(use, Prompt(name=use, material=admit(material).text), schema=schema)
    except (ModelFailed, BadAnswer, KeyMissing, BudgetSpent) as error:
        return NoModel(why=error.what, is_trouble=True)


def writer(answer: Completion) -> str:
    """Who wrote it, by which wording of the order: kept with whatever was made of the answer."""
    return f"{answer.provider} {answer.model}, prompt {answer.prompt} {answer.prompt_version}"


def said(answer: Completion, name: str) -> str:
    """One text of an answer, on one line, through the door once more; "" where there is none."""
    value = answer.data.get(name) if isinstance(answer.data, dict) else None
    return " ".join(admit(value).text.split()) if isinstance(value, str) else ""


def all_said(answer: Completion, name: str) -> tuple[str, ...]:
    """The same for a list of texts; what is empty is left out."""
    values = answer.data.get(name) if isinstance(answer.data, dict) else None
    lines = [" ".join(admit(one).text.split()) for one in values or () if isinstance(one, str)]
    return tuple(line for line in lines if line)
