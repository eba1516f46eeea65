"""The mechanisms, one idea per file, each with its guarantee and the proof of it."""
