"""Which commands there are, and where each of them lives. One loads when it is called, and no other with it."""

from hindbrain.core.hints import Any
from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    where: str  # module:attribute
    help: str  # the command's own first line; a test holds the two together

    def load(self) -> Any:
        """A Verb, or a click.Group for a family of commands."""
        module, _, attribute = self.where.partition(":")
        return getattr(__import__(f"hindbrain.entry.cli.{module}", fromlist=[attribute]), attribute)


SECTIONS: dict[str, dict[str, Entry]] = {
    "Start here": {
        "demo": Entry("demo:demo", "Show the whole story on a throw-away store, in seconds"),
        "init": Entry("init:init", "Wire your coding agents, after showing what changes"),
        "uninit": Entry("init:uninit", "Unwire your coding agents, and leave their files as they were"),
    },
    "Teach": {
        "add": Entry("add:add", "Write down one memory yourself"),
        "capture": Entry("capture:capture", "Learn from what an agent said, with a receipt for each line"),
        "activity": Entry("activity:activity", "List what agents did, or note it down"),
        "extract": Entry("activity:extract", "Learn from what a session did, without being told"),
        "consolidate": Entry("episodes:consolidate", "Turn the latest episodes into patterns, warnings and skills"),
        "skills": Entry("skills:skills", "List skills that were learned, and decide about them"),
        "lesson": Entry("lesson:lesson", "Keep the record of a piece of work, and draft what it teaches"),
        "receipts": Entry("capture:receipts", "List what became of captured lines, newest first"),
    },
    "Find": {
        "recall": Entry("recall:recall", "Find what past sessions learned about QUERY, best first"),
        "episodes": Entry("episodes:episodes", "Tell what happened when something was tried"),
        "search": Entry("listing:search", "Find memories that hold QUERY as it stands"),
        "list": Entry("listing:list_", "List memories, the most certain first"),
        "show": Entry("memory:show", "Print memories and all that is known about them"),
        "panel": Entry("panel:panel", "Browse learnings in a panel of the terminal, live"),
        "links": Entry("links:links", "Show what a memory is linked to, or link it"),
        "graph": Entry("links:graph", "Draw the memories of the project that are linked to each other"),
        "why": Entry("why:why", "Walk from a memory to the sentence that taught it"),
    },
    "Tell an agent": {
        "before-task": Entry("episodes:before_task", "Tell what worked, what to avoid and which skills apply"),
        "inject": Entry("inject:inject", "Print a block of notes for an agent's prompt"),
        "mcp": Entry("mcp:mcp", "Let a coding agent ask memory by itself, over MCP"),
    },
    "Your files": {
        "reflex": Entry("reflex:reflex", "List the files that every session is told of, and approve them"),
        "vault": Entry("vault:vault", "Find, check and write notes of your Obsidian vault"),
    },
    "Hand over": {
        "handoff": Entry("papers:handoff", "Hand work from one agent to the next; without more, list it"),
        "ledger": Entry("papers:ledger", "Show where agents stand: their last checkpoints"),
        "continuity": Entry("papers:continuity", "Print CONTINUITY.md: what is being done right now"),
    },
    "Does it help?": {
        "verdict": Entry("worth:verdict", "Say whether a memory helped"),
        "outcomes": Entry("worth:outcomes", "List what came of showing memories, oldest first"),
        "worth": Entry("worth:worth", "Tell what memory is worth: sessions with it and without"),
    },
    "From a scar to a rule": {
        "scar": Entry("scar:scar", "Engrave a failure or a victory; without more, list them"),
        "scars": Entry("scar:scars", "List failures and victories, the most important first"),
        "learn": Entry("learning:learn", "Propose rules for what went wrong; nothing is applied"),
        "feed": Entry("learning:feed", "List what is proposed, each with its diff"),
        "apply": Entry("decide:apply", "Make suggestions rules: change the files, and log it"),
        "patch": Entry("decide:patch", "Put a suggestion in your own words before it is applied"),
        "refuse": Entry("decide:refuse", "Refuse suggestions; their lessons are never proposed again"),
        "snooze": Entry("decide:snooze", "Keep a suggestion out of the feed for a while"),
        "undo": Entry("decide:undo", "Take rules back: the files are as they were"),
        "rules": Entry("learning:rules", "List the rules, and whether each of them helps"),
        "audit": Entry("audit:audit", "List who decided what; `audit verify` checks the log"),
    },
    "Change": {
        "edit": Entry("memory:edit", "Change a memory; what it said before stays in its history"),
        "delete": Entry("memory:delete", "Archive a memory; `restore` brings it back"),
        "restore": Entry("memory:restore", "Bring back a memory, or the whole store from a backup"),
        "split": Entry("memory:split", "Make several memories of one that says several things"),
        "forget": Entry("forget:forget", "Erase a memory for good, and prove that it is gone"),
        "purge": Entry("purge:purge", "Take out all that one source taught: a session, agent, file"),
        "review": Entry("review:review", "Decide what waits for a person; without more, list it"),
    },
    "Carry": {
        "export": Entry("portable:export", "Write the memories as JSON, or as the files of another system"),
        "import": Entry("portable:import_", "Read what `export` wrote, or the files of another system"),
        "migrate": Entry("migrate:migrate", "Carry a whole store to another: a file, or PostgreSQL"),
        "sync": Entry("sync:sync", "Let files follow the memories; without more, write them anew"),
        "beads": Entry("beads:beads", "Answer as the scripts of Beads do"),
        "rebuild": Entry("sync:rebuild", "Write all files that follow the memories anew"),
    },
    "Serve": {
        "serve": Entry("serve:serve", "Serve API, hub, MCP and worker over HTTP, until Ctrl-C"),
        "hub": Entry("hub:hub", "Print a link that lets a browser into the hub, once"),
        "token": Entry("token:token", "Print the token that the service asks for; it opens everything"),
    },
    "Care": {
        "stats": Entry("care:stats", "Count memories by state, type and category"),
        "verify": Entry("verify:verify", "Compare memories with the code that they speak of"),
        "cleanup": Entry("care:cleanup", "Let unused memories fade, archive those that faded away"),
        "dream": Entry("night:dream", "Draft what keeps recurring, make old transcripts compact"),
        "hygiene": Entry("night:hygiene", "Tell what is amiss in the reflex folder and the vault"),
        "jobs": Entry("jobs:jobs", "List what runs by itself and when, or run it now"),
        "prune": Entry("upkeep:prune", "Shorten episodes after a week, archive them after a month"),
        "merge": Entry("upkeep:merge", "Let memories that say the same become one"),
        "maintenance": Entry("upkeep:maintenance", "List what was put in order, or take it back"),
        "backup": Entry("backup:backup", "Copy the store while it is in use, and look at the copy"),
        "fsck": Entry("backup:fsck", "Look at all that is kept, row by row, and mend it"),
        "doctor": Entry("care:doctor", "Check that everything is healthy, and say how to fix it"),
        "worker": Entry("worker:worker", "Learn from what hooks heard, and give memories their meaning"),
        "queue": Entry("queue:queue", "List the jobs of the worker, and try again those it gave up"),
        "ai": Entry("ai:ai", "Show which model answers what, what it cost, and try it"),
        "completion": Entry("completion:completion", "Print the completion script for a shell"),
    },
}

COMMANDS: dict[str, Entry] = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
