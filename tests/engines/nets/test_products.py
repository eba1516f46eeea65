"""Products of matrices: the same by either library, from whatever side a matrix is looked at."""

import pytest
import torch

from understudy.engines.nets import products
from understudy.engines.nets.products import least_quick, product_by, put_affine, put_product

HAS_ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


@pytest.fixture(
    params=[False, pytest.param(True, marks=pytest.mark.skipif(not HAS_ONEDNN, reason="no oneDNN"))]
)
def library(request, monkeypatch):
    asked = []
    made = products._made
    monkeypatch.setattr(products, "_has_kernels", lambda: request.param)
    monkeypatch.setattr(products, "_made", lambda *given: asked.append(1) or made(*given))
    yield
    assert bool(asked) == request.param


def looks(height, width, seed):
    """Return one matrix as it lies, turned, as a part of lines, as every other line, and a turned part."""
    noise = torch.Generator().manual_seed(seed)
    own = torch.randn(height, width, generator=noise)
    wide = torch.zeros(height, width + 5)
    wide[:, 2:-3] = own
    apart = torch.zeros(2 * height, width)
    apart[::2] = own
    tall = torch.zeros(width, height + 3)
    tall[:, :-3] = own.T
    return own, own.T.contiguous().T, wide[:, 2:-3], apart[::2], tall[:, :-3].T


def product(left, right):
    return product_by(least_quick(), left, right)


def near(made, expected):
    return torch.allclose(made.double(), expected, rtol=0, atol=2e-4)


@pytest.mark.usefixtures("library")
def test_a_product_is_that_of_double_precision_however_both_matrices_lie():
    for left in looks(70, 130, 0):
        for right in looks(130, 140, 1):
            out, expected = torch.full((70, 140), torch.nan), left.double() @ right.double()
            put_product(left, right, out)
            assert near(out, expected)
            assert near(product(left, right), expected)


@pytest.mark.usefixtures("library")
def test_a_layer_is_that_of_double_precision_however_rows_and_weights_lie():
    bias = torch.randn(140, generator=torch.Generator().manual_seed(2))
    for rows in looks(70, 130, 0):
        for weight in looks(140, 130, 1):
            out = torch.full((70, 140), torch.nan)
            expected = rows.double() @ weight.double().T + bias.double()
            put_affine(rows, weight, bias, out)
            assert near(out, expected)


@pytest.mark.usefixtures("library")
def test_a_part_of_a_wider_matrix_takes_what_is_put_and_the_rest_stays():
    left, right = looks(70, 130, 0)[0], looks(130, 140, 1)[0]
    room = torch.full((70, 150), 7.0)
    put_product(left, right, room[:, :140])
    assert near(room[:, :140], left.double() @ right.double())
    assert (room[:, 140:] == 7).all()


@pytest.mark.usefixtures("library")
def test_what_is_no_number_is_seen_in_every_product_of_its_row():
    rows = torch.ones(64, 128)
    rows[3, 5] = torch.nan
    put_affine(rows, torch.ones(128, 128), torch.zeros(128), told := torch.empty(64, 128))
    for made in (told, product(rows, torch.ones(128, 128))):
        assert made[3].isnan().all()
        assert not made[4].isnan().any()


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_precisions_and_small_products_are_left_to_torch(dtype, monkeypatch):
    monkeypatch.setattr(products, "_has_kernels", lambda: True)
    monkeypatch.setattr(products, "_made", lambda *_: pytest.fail("nobody asks"))
    big, small = torch.ones(128, 128, dtype=dtype), torch.ones(4, 4)
    assert product(big, big)[0, 0] == 128
    assert product(small, small)[0, 0] == 4


def told(tmp_path, text):
    path = tmp_path / "cpuinfo"
    path.write_text(text)
    return products._is_zen_5(path)


def test_a_processor_is_known_by_its_maker_and_family(tmp_path):
    facts = "processor\t: 0\nvendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: 2\n\nprocessor\t: 1\n"
    assert told(tmp_path, facts.format("AuthenticAMD", 26))
    assert not told(tmp_path, facts.format("AuthenticAMD", 25))
    assert not told(tmp_path, facts.format("GenuineIntel", 26))
    assert not told(tmp_path, "Features\t: fp asimd\n")
    assert not products._is_zen_5(tmp_path / "none")
