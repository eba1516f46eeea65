import torch

from understudy.engines.training.loop import BLOCK
from understudy.engines.training.order import Order, seed_of

CPU = torch.device("cpu")


def line(order, blocks):
    return torch.cat([order.block(number).reshape(-1) for number in range(blocks)])


def test_every_row_comes_once_an_epoch_though_batches_do_not_divide_them():
    rows = line(Order(10, 3, CPU, (0, "a")), 2)
    for epoch in range(len(rows) // 10):
        assert sorted(rows[10 * epoch : 10 * epoch + 10].tolist()) == list(range(10))


def test_a_block_is_a_function_of_its_number():
    walked = Order(10, 3, CPU, (0, "a"))
    for number in range(4):
        last = walked.block(number)
    assert torch.equal(last, Order(10, 3, CPU, (0, "a")).block(3))


def test_seeds_and_stages_have_orders_of_their_own():
    blocks = [Order(50, 5, CPU, which).block(0) for which in ((0, "a"), (1, "a"), (0, "b"))]
    assert not torch.equal(blocks[0], blocks[1]) and not torch.equal(blocks[0], blocks[2])
    assert seed_of(0, "a") != seed_of(0, "b")


def test_a_batch_is_at_most_all_rows():
    assert Order(3, 100, CPU, (0, "a")).block(0).shape == (BLOCK, 3)
    assert Order(1, 1, CPU, (0, "a")).block(7).unique().tolist() == [0]
