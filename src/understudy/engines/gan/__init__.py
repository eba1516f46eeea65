"""Generative adversarial networks: one game for all of them, on the trainer that the other networks use.

One line of reading: `conditions` (what a row is asked to be) -> `networks` (generator and critic) -> `duel`
(their losses) -> `gan` (how they are learned, and how rows are drawn). Beside it the same losses with their
derivatives written out: `norms`, `making`, `softening`, `judging` -> `half_duel` -> `whole_duel`.
"""
