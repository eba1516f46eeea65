import pytest
import torch

from understudy.engines.training.precision import autocast, computing, layer_generators, shortens

CPU = torch.device("cpu")


def test_what_is_set_is_put_back_even_after_an_error():
    before, drawn = torch.get_float32_matmul_precision(), torch.random.get_rng_state()

    def fail():
        with computing("tf32", CPU):
            assert torch.get_float32_matmul_precision() == "high"
            torch.manual_seed(7)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert torch.get_float32_matmul_precision() == before
    assert torch.equal(torch.random.get_rng_state(), drawn)


def test_a_processor_computes_exactly_unless_told_otherwise():
    with computing("auto", CPU):
        assert torch.get_float32_matmul_precision() == "highest"


def test_only_bf16_casts():
    layer, rows = torch.nn.Linear(2, 2), torch.ones(1, 2)
    with autocast("bf16", CPU):
        assert layer(rows).dtype == torch.bfloat16
    with autocast("tf32", CPU):
        assert layer(rows).dtype == torch.float32


def test_a_layer_that_draws_by_itself_draws_from_the_generators_told():
    drawn = []
    for _ in range(2):
        with computing("auto", CPU):
            for generator in layer_generators(CPU):
                generator.manual_seed(3)
            drawn.append(torch.nn.Dropout(0.5)(torch.ones(50)))
    assert torch.equal(*drawn)


def test_products_are_short_where_that_is_asked_for():
    assert shortens("bf16", CPU)
    assert not any(shortens(exact, CPU) for exact in ("auto", "float32", "tf32"))
    assert not shortens("bf16", torch.device("cuda"))
