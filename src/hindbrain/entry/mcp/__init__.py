"""How a model asks memory by itself: tools, resources and prompts over MCP."""
