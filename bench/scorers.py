"""What the evaluation scripts call: one plain function for each of our decisions they measure."""


def secret(text: str) -> bool:
    """Whether the door finds a secret in `text`."""
    from hindbrain.core.door import has_secret

    return has_secret(text)


def duplicate(a: str, b: str) -> float:
    """How alike two texts are worded, 0..1."""
    from hindbrain.core.same import likeness

    return likeness(a, b).score


def update(old: str, new: str) -> float:
    """How likely `new` takes back something that `old` says, 0..1."""
    from hindbrain.core.supersede import rule

    return rule(new, old).score
