"""The k nearest rows, exactly: by the mixed distance of tables, or straight through a matrix.

`points` says what a kind of rows must answer, `mixed` and `vectors` are the two kinds, `search` finds.
"""
