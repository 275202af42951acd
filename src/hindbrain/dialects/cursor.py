"""Where Cursor keeps its rules; they are lists like those of CLAUDE.md."""

from hindbrain.dialects.rules import Rules

DIALECT = Rules("cursor", files=(".cursorrules",), folders=(".cursor/rules", "rules"), endings=(".mdc", ".md"))
