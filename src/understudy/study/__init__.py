"""Whole studies: an audit of a stand-in, from its tables to a report."""
