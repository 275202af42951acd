"""Where the parts are that get installed into clients: the interpreter, the hook program, the skill, the plugin."""

import json
import sys
from pathlib import Path

import hindbrain.core
from hindbrain.core.setup.wires import Kit

_PACKAGE = Path(hindbrain.core.__file__).parents[1]


def kit(*, has_server: bool, home: str) -> Kit:
    """`home` is empty where everybody finds it by default."""
    python = sys.executable
    hook = str(_PACKAGE / "hook.py")
    assets = _PACKAGE / "assets"
    plugin = (assets / "opencode" / "hindbrain.js").read_text("utf-8")
    words = [*(("/usr/bin/env", f"HINDBRAIN_HOME={home}") if home else ()), python, "-I", "-S", hook, "opencode"]
    line = json.dumps(words, ensure_ascii=False)
    return Kit(
        python=python,
        hook=hook,
        skill=(assets / "skills" / "hindbrain" / "SKILL.md").read_text("utf-8"),
        plugin=plugin.replace('["hindbrain-hook", "opencode"]', line),
        has_server=has_server,
        home=home,
    )
