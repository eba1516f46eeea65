import pytest

from testing.planted import Planted, caught
from understudy.testing import frames


@pytest.mark.parametrize(
    ("check", "flaw", "words"),
    [
        (frames.pandas_frames_keep_their_dtypes, "gives_arrow", "pandas went in and Table came out"),
        (frames.pandas_frames_keep_their_dtypes, "gives_objects", "became object"),
        (frames.pandas_frames_with_nullable_dtypes_keep_them, "gives_objects", "became object"),
        (frames.pandas_frames_on_arrow_keep_their_dtypes, "gives_objects", "became object"),
        (frames.polars_frames_keep_their_types, "gives_arrow", "polars went in and Table came out"),
        (frames.duckdb_relations_keep_their_types, "gives_arrow", "duckdb went in and Table came out"),
        (frames.arrow_tables_keep_their_types, "widens_integers", "int8 became int64"),
        (frames.tables_and_paths_give_tables, "gives_arrow", "a table or a path went in"),
        (frames.the_input_is_untouched, "changes_the_input", "the pandas frame was changed"),
    ],
)
def test_the_message_says_what_became_of_the_frame(check, flaw, words):
    assert words in caught(check, Planted(flaw=flaw))


def test_the_pandas_frame_has_every_family_of_dtype():
    words = {str(dtype).split("[")[0] for dtype in frames._pandas().dtypes}
    assert {"int64", "int8", "float64", "bool", "category", "datetime64", "timedelta64"} <= words
