"""What of a text a model may see: what passes the door, and of a secret that was found in one place no other place.

The door judges each place by itself: the same value may stand after the word `key`, and once more where nothing gives
it away. A store that only its user reads can live with that; a message to somebody else cannot.
"""

from hindbrain.core.door import admit, disarm, secrets

_TELLING = 8  # characters; a shorter one may be any word


def clean(text: str) -> str:
    passed = admit(text)
    if not any(finding.family == "secret" for finding in passed.findings):
        return passed.text
    bare = disarm(text)
    found = {bare[span.start : span.end] for span in secrets.find(bare)}
    rest = passed.text
    for value in sorted((one for one in found if len(one) >= _TELLING), key=len, reverse=True):
        rest = rest.replace(value, "[secret:repeated]")
    return admit(rest).text
