"""Marginal tables: counting, junction trees, estimation from noisy tables, generation of rows."""
