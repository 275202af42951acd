"""A server of web pages for a client, over MCP on standard input and output: one page, in the file it is given."""

import json
import sys
from pathlib import Path
from typing import Any

_TOOL = {
    "name": "fetch",
    "description": "Fetch a web page",
    "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
}


def main(page: Path) -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **_answer(asked, page)}), flush=True)


def _answer(asked: dict[str, Any], page: Path) -> dict[str, Any]:
    match asked["method"]:
        case "initialize":
            version = asked["params"]["protocolVersion"]
            about = {"name": "pages", "version": "1"}
            return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}}
        case "tools/list":
            return {"result": {"tools": [_TOOL]}}
        case "tools/call":
            return {"result": {"content": [{"type": "text", "text": page.read_text()}], "isError": False}}
        case "ping":
            return {"result": {}}
    return {"error": {"code": -32601, "message": "there is no such method here"}}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
