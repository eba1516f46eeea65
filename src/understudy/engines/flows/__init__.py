"""Flows: invertible maps between rows and noise, whose density is exact.

One line of reading: `splines` (one number) -> `couplings` (a row, coordinate by coordinate) -> `nflow`
(learned and drawn).
"""
