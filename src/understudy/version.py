"""The version of understudy, and the line that names the tool in everything it writes."""

__all__ = ["TOOL", "VERSION"]

VERSION = "0.1.0"
TOOL = f"understudy {VERSION}"
