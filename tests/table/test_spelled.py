"""Text that spells dates, times and decimals, read and written again."""

import pandas as pd
import pyarrow as pa
import pytest

import understudy as us
from understudy.table.spelled import in_words, spelled_alike, spelled_out

DAYS = ["2019-05-24", "2020-02-29", None, "1999-12-31"]
SPELLINGS = [
    (DAYS, pa.date32()),
    (["2020-01-05 03:10:00", "2020-01-06 23:59:59"], pa.timestamp("s")),
    (["2020-01-05T03:10Z", "2020-01-06T23:59Z"], pa.timestamp("s", "UTC")),
    (["2020-01-05T03:10:00.250+02:00", "2020-01-06T23:59:59.000+02:00"], pa.timestamp("ms", "+02:00")),
    (["03:10", "23:59"], pa.time32("s")),
]


@pytest.mark.parametrize(("cells", "kind"), SPELLINGS, ids=lambda value: str(value)[:30])
@pytest.mark.parametrize("text", [pa.string(), pa.large_string()], ids=str)
def test_text_that_spells_times_is_read_as_times_and_comes_back_as_it_was(cells, kind, text):
    given = pa.table({"at": pa.array(cells, text)})
    read = spelled_out(given)
    assert read.schema.field("at").type == kind
    assert in_words(read) == given
    assert in_words(read).schema.field("at").type == text


@pytest.mark.parametrize("cell", ["", "unknown", "2019-02-30", "2019-5-24", "2019-05-24 "])
def test_a_column_with_one_cell_that_is_no_date_stays_text(cell):
    given = pa.table({"at": [*DAYS, cell]})
    assert spelled_out(given) is given


def test_decimals_as_text_are_numbers_where_they_could_be_no_levels():
    many = [f"{number / 4:.2f}" for number in range(200)]
    read = spelled_out(pa.table({"price": many, "grade": ["1.50", "2.00"] * 100}))
    assert [str(field.type) for field in read.schema] == ["double", "string"]
    assert in_words(read).column("price").to_pylist() == many


def test_whole_numbers_as_text_stay_words():
    given = pa.table({"postcode": [str(number) for number in range(1000, 1200)]})
    assert spelled_out(given) is given


def test_tables_are_read_alike_only_if_all_of_them_can_be():
    days, words = pa.table({"at": DAYS}), pa.table({"at": ["other", "2019-05-24"]})
    read = spelled_out(days)
    assert [table.schema.field("at").type for table in spelled_alike([days, read])] == [pa.date32()] * 2
    assert spelled_alike([days, words]) == [days, words]


def _people(rows=300):
    days = pd.date_range("2015-01-01", periods=rows, freq="3D")
    return pd.DataFrame({"joined": days.strftime("%Y-%m-%d"), "age": range(20, 20 + rows)})


def test_a_frame_with_dates_as_text_is_what_its_csv_file_is(tmp_path):
    frame, file = _people(), tmp_path / "people.csv"
    frame.to_csv(file, index=False)
    found, wanted = (us.Schema.infer(source).column("joined") for source in (frame, file))
    assert found.model_copy(update={"form": None}) == wanted


def test_dates_of_a_frame_come_back_as_text_and_are_days_of_the_calendar(tmp_path):
    frame = _people()
    model = us.synth.get("gaussian_copula")().fit(frame, progress=False)
    model.save(tmp_path / "model")
    for fake in (model.sample(50), us.load(tmp_path / "model").sample(50)):
        assert fake.dtypes.equals(frame.dtypes)
        days = pd.to_datetime(fake["joined"], format="%Y-%m-%d")
        assert days.between("2015-01-01", "2017-06-20").all()


def test_a_frame_and_a_file_of_the_same_rows_are_evidence_together(tmp_path):
    frame, file = _people(), tmp_path / "people.csv"
    frame.iloc[:150].to_csv(file, index=False)
    evidence = us.Evidence(train=file, holdout=frame.iloc[150:], synthetic=frame.iloc[::2])
    assert evidence.schema.column("joined").kind == "date"


def test_words_in_place_of_dates_are_judged_as_words():
    frame = _people().assign(sex=["F", "M"] * 150)
    evidence = us.Evidence(train=frame, synthetic=frame.assign(joined="other"))
    assert evidence.schema.column("joined").type == evidence.table("train").to_arrow().schema.field(0).type
    assert evidence.coding.names == ("sex",)
