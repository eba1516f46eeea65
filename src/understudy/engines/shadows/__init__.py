"""Shadow models: many models of known halves of the records, trained once for all attacks that need them.

`plan` says who learns from what, `models` makes one model's sets, `files` keeps them, `training` makes all of
them, `worker` is a process that makes some. None of them knows a method: `make` turns rows into what draws.
"""
