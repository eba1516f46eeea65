"""Columns <-> matrix: one reversible map, planned from a schema alone."""

from understudy.codec.codec import Codec
from understudy.codec.layout import Layout, Part, Span
from understudy.codec.plan import Plan, plan
from understudy.codec.style import Style

__all__ = ["Codec", "Layout", "Part", "Plan", "Span", "Style", "plan"]
