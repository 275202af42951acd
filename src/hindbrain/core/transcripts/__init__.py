"""How a session's record becomes voices: each format has one reader, and only voices are passed on."""

from hindbrain.core.transcripts import chorus_log, claude, codex, gemini, opencode, plain
from hindbrain.core.transcripts.listen import Heard, Unheard, hear
from hindbrain.core.transcripts.utterance import Skipped, Transcript, Utterance, Voice

__all__ = ["FORMATS", "Heard", "Skipped", "Transcript", "Unheard", "Utterance", "Voice", "hear", "read"]

_READERS = {
    "text": plain.read,
    "claude": claude.read,
    "codex": codex.read,
    "gemini": gemini.read,
    "opencode": opencode.read,
    "chorus": chorus_log.read,
}
FORMATS: tuple[str, ...] = tuple(_READERS)


def read(source: str, format: str) -> Transcript:  # noqa: A002
    """Read a whole input. No content is an error: what cannot be read is in `skipped`.

    An unknown format is a ValueError.
    """
    if format not in _READERS:
        raise ValueError(f"no transcript format {format!r}; there are {', '.join(FORMATS)}")
    return _READERS[format](source)
