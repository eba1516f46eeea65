"""A small table with a number, an order, levels, a date, a truth value, an id and holes."""

from __future__ import annotations

ROWS = 60


def table_text():
    """Return the table as CSV; its last name has a = in it, and its levels have other marks."""
    lines = ["id,age,sex,grade,income,joined,member,a=b"]
    for row in range(ROWS):
        income = "" if row % 7 == 0 else f"{1500 + 37 * row}.25"
        lines.append(
            f"P{row * 7919 % 9973:04d},{20 + row * 13 % 50},{'FMMF'[row % 4]},{row % 5 + 1},{income},"
            f"2024-{row % 12 + 1:02d}-{row % 27 + 1:02d},{['true', 'false'][row % 2]},"
            f"{['x|y', '1..2', 'z'][row % 3]}"
        )
    return "\n".join(lines) + "\n"
