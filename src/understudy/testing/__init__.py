"""The contract that every synthesizer keeps, for anybody to run on their own.

>>> from understudy.synth.histogram import Histogram
>>> from understudy.testing import checks
>>> checks()[0](Histogram())

`check_synthesizer(MyRecipe())` runs all of it and reports every failure at once.
"""

from understudy.testing.suite import Check, check_synthesizer, checks

__all__ = ["Check", "check_synthesizer", "checks"]
