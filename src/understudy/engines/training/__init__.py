"""Training of networks: a method brings a model and a loss per record, and never a loop.

One line of reading: `fit` (what a method sees) -> `openly` and `privately` (the two ways to train) -> `loop`
(blocks of steps) -> `weights` and `pace` (optimizer, rates, averages) -> `checkpoint` (what is taken up
again) -> `stacked` (many models of one shape at once).
"""
