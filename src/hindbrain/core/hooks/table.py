"""How the clients differ: their words for what happens, their tools, and where each lets itself be told or held.

Plain words and nothing imported: the hook process reads this on every call. `clients` makes notices and answers of it;
the words on the right are those of `Happening`.
"""

EVENTS: dict[str, dict[str, str]] = {
    "claude": {
        "SessionStart": "session_start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before_tool",
        "PostToolUse": "after_tool",
        "PostToolUseFailure": "after_tool",  # any exit code but 0 comes here, and only here
        "SubagentStart": "agent_start",
        "SubagentStop": "agent_stop",
        "Stop": "stop",
        "PreCompact": "before_compact",
        "PostCompact": "after_compact",
        "SessionEnd": "session_end",
    },
    "codex": {
        "SessionStart": "session_start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before_tool",
        "PostToolUse": "after_tool",
        "SubagentStart": "agent_start",
        "SubagentStop": "agent_stop",
        "Stop": "stop",
        "PreCompact": "before_compact",
        "PostCompact": "after_compact",
        "SessionEnd": "session_end",
    },
    "gemini": {
        "SessionStart": "session_start",
        "BeforeAgent": "prompt",
        "BeforeTool": "before_tool",
        "AfterTool": "after_tool",
        "AfterAgent": "stop",
        "PreCompress": "before_compact",
        "SessionEnd": "session_end",
    },
    "opencode": {
        "session.created": "session_start",
        "chat.message": "prompt",
        "tool.execute.before": "before_tool",
        "tool.execute.after": "after_tool",
        "session.idle": "stop",
        "experimental.session.compacting": "before_compact",
        "session.compacted": "after_compact",
        "session.deleted": "session_end",
    },
}

# Where what we say reaches the agent. A client that is told elsewhere drops it without a word, or, if it is Codex,
# the whole answer.
TOLD: dict[str, frozenset[str]] = {
    "claude": frozenset(
        {"session_start", "prompt", "before_tool", "after_tool", "agent_start", "agent_stop", "stop"},
    ),
    "codex": frozenset({"session_start", "prompt", "before_tool", "after_tool", "agent_start"}),
    "gemini": frozenset({"session_start", "prompt", "after_tool"}),
    "opencode": frozenset({"session_start", "prompt", "before_tool", "after_tool", "agent_start", "stop"}),
}

# Which of them lose what they were told when a session goes on in a new process: Gemini CLI leaves out prompts with
# words of ours, and OpenCode's system prompt is made anew.
FORGETTING = frozenset({"gemini", "opencode"})

# Where an agent can be kept from stopping, and the client's word for that.
HELD: dict[str, dict[str, str]] = {
    "claude": {"agent_stop": "block", "stop": "block"},
    "codex": {"agent_stop": "block", "stop": "block"},
    "gemini": {"agent_stop": "deny", "stop": "deny"},
    "opencode": {"agent_stop": "block", "stop": "block"},
}

# Gemini CLI has no events of subagents. One that is done says so by a tool, which can be refused; what starts one is a
# tool that ends with it.
REPORT, ERRAND = "complete_task", "invoke_agent"

# No name means two things in two clients, so one list serves all. What comes from an MCP server has a prefix and is
# in none of them.
SHELLS = frozenset(
    {"Bash", "Shell", "bash", "exec", "exec_command", "local_shell", "run_shell_command", "shell", "shell_command"}
    | {"unified_exec"}
)
EDITS = frozenset(
    {"Edit", "MultiEdit", "NotebookEdit", "Write", "apply_patch", "edit", "multiedit", "patch", "replace", "write"}
    | {"write_file"}
)
READS = frozenset({"NotebookRead", "Read", "read", "read_file", "read_many_files", "view_image"})
