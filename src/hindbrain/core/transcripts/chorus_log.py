"""Who speaks in a Chorus task log: the output of an iteration is the agent, its input is not.

The log's own `signal` events repeat what stands in an output, so they are not read.
"""

from hindbrain.core.transcripts import jsonl
from hindbrain.core.transcripts.jsonl import Object
from hindbrain.core.transcripts.utterance import Skipped, Transcript, Utterance, Voice
from hindbrain.core.value import replace


def read(source: str) -> Transcript:
    utterances: list[Utterance] = []
    skipped: list[Skipped] = []
    known = Utterance(voice=Voice.OTHER, text="", line=0)  # what earlier events said about the task
    for record in jsonl.records(source):
        if isinstance(record, Skipped):
            skipped.append(record)
            continue
        event = {**record.fields, **jsonl.mapping(record.fields, "data")}
        at = jsonl.moment(event.get("timestamp"))
        known = replace(_informed(known, event), line=record.line, at=at)
        if jsonl.text(record.fields, "event", "type") == "iteration":
            utterances += _iteration(event, known)
            if not isinstance(event.get("output", ""), str):
                skipped.append(Skipped(line=record.line, reason="wrong_shape"))
    return Transcript(utterances=tuple(utterances), skipped=tuple(skipped))


def _informed(known: Utterance, event: Object) -> Utterance:
    instance = jsonl.text(event, "agentId") or known.instance
    return replace(
        known,
        task=jsonl.text(event, "taskId") or known.task,
        session=jsonl.text(event, "sessionId") or known.session,
        instance=instance,
        persona=jsonl.text(event, "persona") or known.persona or instance.rpartition("-")[0],
        cwd=jsonl.text(event, "cwd") or known.cwd,
    )


def _iteration(event: Object, known: Utterance) -> list[Utterance]:
    number = event.get("number")
    ref = str(number) if isinstance(number, int) else ""
    said = [
        replace(known, ref=ref, text=jsonl.strings(event.get("input"))),
        replace(known, ref=ref, voice=Voice.AGENT, text=jsonl.text(event, "output")),
    ]
    return [utterance for utterance in said if utterance.text or utterance.voice is Voice.OTHER]
