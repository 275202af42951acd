"""What a verb does when the model that could help fails: it goes on by rules, and knows why."""

from collections.abc import Mapping

from hindbrain.app.tools import Tools
from hindbrain.core.model.call import Completion, NoModel, Prompt
from hindbrain.errors import BadAnswer, BudgetSpent, KeyMissing, ModelFailed


def consult(
    use: str, material: str, *, tools: Tools, schema: Mapping[str, object] | None = None, prompt: str = ""
) -> Completion | NoModel:
    """What the model for `use` makes of `material`, by the prompt of that name unless another is named.

    NoModel, with the reason, whenever there is no answer that can be used: an outage and "no model is meant to answer"
    differ in `is_trouble`.
    """
    if tools.model is None:
        return NoModel(why="no model is wired here")
    try:
        return tools.model.complete(use, Prompt(name=prompt or use, material=material), schema=schema)
    except (ModelFailed, BadAnswer, KeyMissing, BudgetSpent) as error:
        return NoModel(why=error.what, is_trouble=True)
