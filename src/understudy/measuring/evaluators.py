"""The eight evaluators of machine learning affinity (paper 004, appendix A), as data.

Search spaces are those of the paper's code (SynMeter). The transformer's is that of Gorishniy et al. (2021)
in smaller widths, for what that code calls a transformer is a plain multilayer perceptron. `start` is a
sensible point of each space.
"""

from __future__ import annotations

from understudy.measuring.learner import Evaluator, Transformer, catboost, sklearn, xgboost
from understudy.measuring.search import OneOf, Space, Span

__all__ = ["EVALUATORS", "FAST"]

_SVC: Space = {
    "C": Span(1e-5, 1e-1, start=0.1, log=True),
    "kernel": OneOf(("rbf", "linear", "poly", "sigmoid")),
    "gamma": OneOf(("scale", "auto")),
}
_SVR: Space = {
    "C": Span(1e-5, 1e-1, start=0.1, log=True),
    "epsilon": Span(1e-5, 1e-1, start=0.1, log=True),
}
_LOGISTIC: Space = {
    "C": Span(1e-5, 1e-1, start=0.1, log=True),
    "max_iter": Span(100, 1_000, start=500, whole=True),
    "tol": Span(1e-5, 1e-1, start=1e-4, log=True),
}
_RIDGE: Space = {"alpha": Span(0.0, 10.0, start=1.0), "fit_intercept": OneOf((True, False))}
_TREE: Space = {
    "max_depth": Span(4, 64, start=8, whole=True),
    "min_samples_split": Span(2, 8, start=2, whole=True),
    "min_samples_leaf": Span(1, 8, start=4, whole=True),
}
_FOREST: Space = {
    "n_estimators": Span(10, 200, start=100, whole=True),
    "max_depth": Span(4, 64, start=20, whole=True),
    "min_samples_split": Span(2, 8, start=2, whole=True),
    "min_samples_leaf": Span(1, 8, start=2, whole=True),
}
_MLP: Space = {
    "max_iter": Span(50, 200, start=50, whole=True),
    "alpha": Span(1e-5, 1e-1, start=1e-2, log=True),
}
_XGBOOST: Space = {
    "learning_rate": Span(0.01, 0.2, start=0.1),
    "max_depth": Span(3, 20, start=6, whole=True),
    "min_child_weight": Span(1, 10, start=1, whole=True),
    "gamma": Span(0.0, 1.0, start=0.0),
}
_CATBOOST: Space = {
    "learning_rate": Span(1e-5, 1.0, start=0.03, log=True),
    "l2_leaf_reg": Span(1.0, 10.0, start=3.0, log=True),
    "depth": Span(3, 10, start=6, whole=True),
    "bagging_temperature": Span(0.0, 1.0, start=1.0),
    "leaf_estimation_iterations": Span(1, 10, start=1, whole=True),
}
_FT_TRANSFORMER: Space = {
    "width": OneOf((64, 32, 96, 128)),
    "blocks": Span(1, 4, start=2, whole=True),
    "attention_dropout": Span(0.0, 0.5, start=0.2),
    "feed_dropout": Span(0.0, 0.5, start=0.1),
    "residual_dropout": Span(0.0, 0.2, start=0.0),
    "rate": Span(1e-4, 3e-3, start=1e-3, log=True),
    "decay": Span(1e-6, 1e-3, start=1e-5, log=True),
}

_svm = sklearn("svm", "SVC", "SVR", seeded="classifier")
_linear = sklearn("linear_model", "LogisticRegression", "Ridge")
_tree = sklearn("tree", "DecisionTreeClassifier", "DecisionTreeRegressor")
_forest = sklearn("ensemble", "RandomForestClassifier", "RandomForestRegressor")
_mlp = sklearn("neural_network", "MLPClassifier", "MLPRegressor")

EVALUATORS: tuple[Evaluator, ...] = (
    Evaluator("svm", _svm, _SVC, _SVR),
    Evaluator("linear", _linear, _LOGISTIC, _RIDGE),
    Evaluator("tree", _tree, _TREE, _TREE),
    Evaluator("forest", _forest, _FOREST, _FOREST),
    Evaluator("mlp", _mlp, _MLP, _MLP),
    Evaluator("xgboost", xgboost, _XGBOOST, _XGBOOST, "xgboost", "evaluate"),
    Evaluator("catboost", catboost, _CATBOOST, _CATBOOST, "catboost", "evaluate"),
    Evaluator("ft_transformer", Transformer, _FT_TRANSFORMER, _FT_TRANSFORMER, "torch", "neural", True),
)
FAST = ("linear", "tree", "forest", "mlp")  # no extra is needed, and little time
