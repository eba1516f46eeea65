"""The booster: XGBoost where it is installed, scikit-learn's histogram boosting where it is not.

Papers 000 and 001 use XGBoost. Both are given the same number of rounds and one thread; a note names the
one that was used, for their scores differ a little.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

__all__ = ["booster", "booster_name"]


def booster_name() -> str:
    """Return the name and version of the booster, for the notes."""
    if _has_xgboost():
        import xgboost

        return f"XGBoost {xgboost.__version__}"
    import sklearn

    return f"HistGradientBoosting of scikit-learn {sklearn.__version__} (XGBoost is not installed)"


def booster(*, regression: bool, rounds: int, seed: int) -> Any:
    """Return a booster that has learned nothing yet.

    Quantities are learned by absolute error, the error that D2 grades (paper 000); depth, step and
    regularisation are the library's own defaults.
    """
    if _has_xgboost():
        return _xgboost(regression, rounds, seed)
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    if regression:
        return HistGradientBoostingRegressor(
            loss="absolute_error", max_iter=rounds, early_stopping=False, random_state=seed
        )
    return HistGradientBoostingClassifier(max_iter=rounds, early_stopping=False, random_state=seed)


def _xgboost(regression: bool, rounds: int, seed: int) -> Any:
    from xgboost import XGBClassifier, XGBRegressor

    settings = {"n_estimators": rounds, "n_jobs": 1, "random_state": seed, "verbosity": 0}
    if regression:
        return XGBRegressor(objective="reg:absoluteerror", **settings)
    return XGBClassifier(**settings)


def _has_xgboost() -> bool:
    return find_spec("xgboost") is not None
