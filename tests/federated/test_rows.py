import inspect

from understudy.federated.open_rows import OpenRows
from understudy.federated.private_rows import PrivateRows
from understudy.federated.rows import Rows


def test_open_and_private_rows_answer_the_same_questions():
    asked = {name for name in vars(Rows) if getattr(getattr(Rows, name), "__isabstractmethod__", False)}
    assert asked == {"declared", "told", "describe", "margins", "settle", "tables", "fit"}
    for kind in (OpenRows, PrivateRows):
        assert issubclass(kind, Rows) and not inspect.isabstract(kind)
        public = {name for name in vars(kind) if not name.startswith("_")}
        assert public == asked
