"""Diffusion: how a table turns to noise, and how a network's guesses turn noise back into a table.

`schedule` says how much noise there is at each time; `gaussian`, `multinomial`, `masked` and `edm` what noise
is for numbers and for codes; `samplers` walk back. No network lives here but those of whole methods.
"""
