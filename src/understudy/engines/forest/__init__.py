"""Adversarial random forests: trees that tell real rows from made ones, and simple laws in their leaves."""
