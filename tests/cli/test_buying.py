import pytest

import understudy as us
from understudy.cli.buying import Purchase, buy
from understudy.cli.learning import Source
from understudy.errors import InputError


@pytest.mark.usefixtures("folder")
def test_without_an_output_nothing_is_written():
    found, certificate, written = buy(Source("people.csv"), Purchase(us.Budget(epsilon=1.0), progress=False))
    assert written == [] and certificate.sound and len(found.columns) == 8


def test_the_certificate_lies_beside_the_schema(folder):
    _, _, written = buy(
        Source("people.csv"), Purchase(us.Budget(epsilon=1.0), output=folder / "s.json", progress=False)
    )
    assert [path.name for path in written] == ["s.json", "s.json.certificate.json"]
    assert us.Certificate.from_json(written[1].read_bytes()).artefacts.keys() == {"s.json"}


def test_a_certificate_in_the_way_is_found_before_anything_is_paid(folder):
    (folder / "s.json.certificate.json").write_text("mine")
    wish = Purchase(us.Budget(epsilon=1.0), run=folder / "run", output=folder / "s.json", progress=False)
    with pytest.raises(InputError):
        buy(Source("people.csv"), wish)
    assert not (folder / "run").exists()
