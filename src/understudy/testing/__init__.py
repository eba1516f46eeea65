"""The contracts that every synthesizer and every measure keep, for anybody to run on their own.

>>> from understudy.synth.histogram import Histogram
>>> from understudy.testing import checks
>>> checks()[0](Histogram())

`check_synthesizer(MyRecipe())` and `check_measure(MyMeasure())` run all of it and report every failure.
A method that trains for long is checked at the size of `MyRecipe.small()`.
"""

from understudy.testing.measures import MeasureCheck, check_measure, measure_checks
from understudy.testing.suite import Check, check_synthesizer, checks

__all__ = ["Check", "MeasureCheck", "check_measure", "check_synthesizer", "checks", "measure_checks"]
