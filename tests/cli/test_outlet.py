import errno
import io
import os
import sys

from understudy.cli.outlet import Outlet, outlets


class Full(io.StringIO):
    """A stream that refuses every word."""

    asked = 0

    def write(self, _):
        self.asked += 1
        raise OSError(errno.ENOSPC, "No space left on device")


def test_the_first_refusal_is_kept_and_nothing_is_tried_again():
    stream = Full()
    outlet = Outlet(stream)
    print("one", "two", file=outlet)
    outlet.flush()
    assert outlet.refusal is not None and outlet.refusal.errno == errno.ENOSPC
    assert stream.asked == 1


def test_all_else_is_the_streams_own():
    stream = io.StringIO()
    print("word", file=Outlet(stream))
    assert stream.getvalue() == "word\n"
    assert Outlet(stream).isatty() is False


def test_a_missing_stream_is_a_stream_to_nobody_for_as_long_as_it_takes(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with outlets() as (out, err):
        print("to nobody")
        assert sys.stdout is out and sys.stderr is err
        assert out.refusal is None
    assert sys.stdout is None


def test_what_a_refusing_stream_still_holds_runs_into_nothing():
    ours, theirs = os.pipe()
    os.close(ours)
    with open(theirs, "w") as stream:
        outlet = Outlet(stream)
        outlet.write("x")
        outlet.flush()
        assert isinstance(outlet.refusal, BrokenPipeError)
        outlet.drop()
