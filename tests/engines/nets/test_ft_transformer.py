import numpy as np
import pytest

torch = pytest.importorskip("torch")

from understudy.engines.nets.ft_transformer import FTTransformer, Size  # noqa: E402


def network(size=None, outputs=3, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return FTTransformer(2, [3, 4], outputs, size or Size(width=16, heads=4), generator)


def rows(count, seed=0):
    rng = np.random.default_rng(seed)
    numbers = torch.from_numpy(rng.normal(size=(count, 2)).astype(np.float32))
    return numbers, torch.from_numpy(
        np.column_stack([rng.integers(3, size=count), rng.integers(4, size=count)])
    )


def test_every_row_has_a_start_token_and_one_for_each_of_its_cells():
    assert network().tokenizer(*rows(5)).shape == (5, 1 + 2 + 2, 16)


def test_the_token_of_a_number_is_a_line_in_the_number():
    tokenizer, codes = network().tokenizer, torch.zeros((3, 2), dtype=torch.int64)
    tokens = tokenizer(torch.tensor([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), codes)[:, 1]
    assert torch.allclose(tokens[2] - tokens[1], tokens[1] - tokens[0], atol=1e-6)


def test_missing_cells_and_levels_never_met_have_tokens_of_their_own():
    tokenizer = network().tokenizer
    numbers = torch.tensor([[0.0, 0.0], [float("nan"), 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    codes = torch.tensor([[0, 0], [0, 0], [-1, 0], [3, 0], [900, 0]])
    tokens = tokenizer(numbers, codes)
    assert torch.isfinite(tokens).all()
    assert not torch.allclose(tokens[1, 1], tokens[0, 1])
    assert not torch.allclose(tokens[2, 3], tokens[0, 3])
    assert not torch.allclose(tokens[3, 3], tokens[2, 3])
    assert torch.equal(tokens[3, 3], tokens[4, 3])
    assert torch.equal(tokens[:, 4], tokens[:1, 4].expand(5, -1))


def test_a_row_is_judged_by_its_own_cells_alone():
    model = network().eval()
    numbers, codes = rows(50)
    assert torch.allclose(model(numbers, codes)[7:8], model(numbers[7:8], codes[7:8]), atol=1e-5)


def test_computing_the_start_token_alone_in_the_last_block_changes_nothing():
    model = network(Size(width=16, heads=4, blocks=3)).eval()
    short = model(*rows(20))
    model.blocks[-1].only_start = False
    assert torch.allclose(model(*rows(20)), short, atol=1e-6)


def test_only_the_first_block_has_no_norm_before_its_attention():
    kinds = [type(block.norm).__name__ for block in network(Size(width=16, heads=4, blocks=3)).blocks]
    assert kinds == ["Identity", "LayerNorm", "LayerNorm"]


def test_dropout_is_at_work_in_training_and_at_rest_otherwise():
    model = network(Size(width=16, heads=4, feed_dropout=0.5, residual_dropout=0.5))
    numbers, codes = rows(10)
    assert not torch.equal(model.train()(numbers, codes), model(numbers, codes))
    assert torch.equal(model.eval()(numbers, codes), model(numbers, codes))


def test_weights_come_from_the_generator_and_the_global_one_is_left_alone():
    before = torch.get_rng_state()
    one, same, other = network(seed=1), network(seed=1), network(seed=2)
    one.train()(*rows(10))
    assert torch.equal(before, torch.get_rng_state())
    assert torch.equal(one.head.weight, same.head.weight)
    assert not torch.equal(one.head.weight, other.head.weight)


def test_tables_without_numbers_or_without_levels_are_read_too():
    generator = torch.Generator().manual_seed(0)
    size = Size(width=8, heads=2)
    numbers, codes = torch.zeros((4, 0)), torch.zeros((4, 0), dtype=torch.int64)
    assert FTTransformer(0, [2], 1, size, generator)(numbers, codes.new_zeros((4, 1))).shape == (4, 1)
    assert FTTransformer(1, [], 1, size, generator)(numbers.new_zeros((4, 1)), codes).shape == (4, 1)


def test_on_another_device_what_is_dropped_is_drawn_there_under_its_seed():
    # The processor stands for a device: dropout must no longer draw from the generator of the weights.
    moved = [network(Size(width=16, heads=4, feed_dropout=0.5)).train() for _ in range(3)]
    for each, seed in zip(moved, (1, 1, 2), strict=True):
        each.onto(torch.device("cpu"), seed)
    first, second, other = (each(*rows(50)) for each in moved)
    assert torch.equal(first, second) and not torch.equal(first, other)
    left = network(Size(width=16, heads=4, feed_dropout=0.5)).train()
    assert not torch.equal(left(*rows(50)), first)
