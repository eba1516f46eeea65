from engines.training.networks import Told
from understudy.engines.training import loop
from understudy.engines.training.loop import BLOCK, Watch, Work, run


class Noted(Work):
    def __init__(self, last=None):
        self.blocks, self.steps, self.ends, self.last = [], 0, [], last

    def begin(self, block):
        self.blocks.append(block)

    def take(self):
        self.steps += 1

    def end(self, step):
        self.ends.append(step)
        return step != self.last


def test_each_block_begins_once_and_ends_once_but_the_last():
    work, steps = Noted(), range(2 * BLOCK + 5)
    run(steps, work, Watch(Told(), "a", steps))
    assert (work.blocks, work.ends, work.steps) == ([0, 1, 2], [BLOCK, 2 * BLOCK], 2 * BLOCK + 5)


def test_a_run_that_is_taken_up_starts_with_the_block_it_is_in():
    work, steps = Noted(), range(BLOCK, 2 * BLOCK)
    run(steps, work, Watch(Told(), "a", steps))
    assert (work.blocks, work.ends, work.steps) == ([1], [], BLOCK)


def test_work_that_is_done_early_ends_the_loop():
    work, steps = Noted(last=BLOCK), range(5 * BLOCK)
    run(steps, work, Watch(Told(), "a", steps))
    assert work.steps == BLOCK


def test_a_watcher_hears_loss_and_time_left(monkeypatch):
    told, steps = Told(), range(4)
    monkeypatch.setattr(loop, "_SHOWN_EVERY", 0.0)
    watch = Watch(told, "vae", steps, lambda: 0.25)
    watch.step()
    assert told.words[0] == "training vae" and told.steps == 1
    assert told.words[1] == "training vae: loss 0.25, 0 s left"
