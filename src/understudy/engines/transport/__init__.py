"""Optimal transport between two tables of few columns: on lines, on grids, and exactly."""
