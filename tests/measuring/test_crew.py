"""A crew does every job once; who dies over one is replaced, and who is left ends with the block."""

import os
import signal
import sys
import time

import pytest

from measuring import toys
from understudy.measuring.crew import Crew
from understudy.measuring.job import answered, job
from understudy.measuring.sharing import shared


@pytest.fixture(scope="module")
def folder():
    with shared(toys.evidence()) as place:
        yield place


def worked(folder, measures, size):
    """Return what became of each job, and in which order they began."""
    ends, begun = {}, []
    with Crew(folder, [(place, job(m, 0)) for place, m in enumerate(measures)], size) as crew:
        while len(ends) < len(measures):
            news = crew.news(60)
            assert news is not None, "the crew fell silent"
            if news.what == "begun":
                begun.append(news.job)
            else:
                ends[news.job] = news
    return ends, begun


@pytest.mark.skipif(os.name == "nt", reason="signals are sent")
def test_a_job_that_kills_its_worker_is_lost_and_the_others_are_done(folder):
    measures = [toys.Killed(), toys.Drawn(), toys.Leaving(), toys.Chatty()]
    ends, begun = worked(folder, measures, 1)
    assert begun == [0, 1, 2, 3]
    assert [ends[place].what for place in range(4)] == ["lost", "done", "lost", "done"]
    assert ends[0].text == "its process was ended by SIGKILL; most likely memory ran out."
    assert ends[2].text == "its process ended with exit code 3."
    assert answered(ends[3].text).value == 1.0


def test_jobs_are_shared_among_processes(folder):
    ends, _ = worked(folder, [toys.Slow(seconds=1.0)] * 2, 2)
    processes = {answered(news.text).value for news in ends.values()}
    assert len(processes) == 2 and os.getpid() not in processes


def test_linear_algebra_has_one_thread_in_a_worker(folder):
    ends, _ = worked(folder, [toys.Threads()], 1)
    assert answered(ends[0].text).value == 1


def test_when_the_block_ends_the_processes_have_ended(folder):
    with Crew(folder, [(0, job(toys.Chatty(), 0)), (1, job(toys.Slow(seconds=60.0), 0))], 1) as crew:
        assert [crew.news(60).what for _ in range(3)] == ["begun", "done", "begun"]
        start = time.perf_counter()
    assert time.perf_counter() - start < 30
    assert children_of(os.getpid()) == []


def test_without_a_python_to_start_every_job_is_lost_and_nothing_hangs(folder, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    ends, _ = worked(folder, [toys.Drawn()] * 3, 2)
    assert {news.what for news in ends.values()} == {"lost"}
    assert ends[0].text == "no process could be started (No such file or directory)."


def test_an_evidence_that_is_gone_loses_every_job_and_nothing_hangs(tmp_path):
    ends, _ = worked(tmp_path / "absent", [toys.Drawn()] * 2, 1)
    assert {news.text for news in ends.values()} == {"its process ended with exit code 1."}


def test_a_file_in_the_working_directory_passes_for_no_module(folder, tmp_path, monkeypatch):
    (tmp_path / "queue.py").write_text("raise SystemExit(9)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ends, _ = worked(folder, [toys.Chatty()], 1)
    assert ends[0].what == "done"


def test_news_that_do_not_come_are_not_waited_for(folder):
    with Crew(folder, [], 1) as crew:
        assert crew.news(0.01) is None


@pytest.mark.skipif(os.name == "nt", reason="signals are sent")
def test_a_worker_that_somebody_kills_costs_one_job(folder):
    with Crew(folder, [(0, job(toys.Slow(seconds=20.0), 0)), (1, job(toys.Drawn(), 0))], 1) as crew:
        assert crew.news(60).what == "begun"
        deadline = time.monotonic() + 30
        while not (children := children_of(os.getpid())) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        for child in children:
            os.kill(child, signal.SIGTERM)
        lost, begun, done = (crew.news(60) for _ in range(3))
    assert (lost.what, begun.what, done.what) == ("lost", "begun", "done")
    assert lost.text == "its process was ended by SIGTERM."


def children_of(parent):
    """Return the workers among the children of a process."""
    if not os.path.isdir("/proc"):
        pytest.skip("there is no /proc")
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                ours = int(file.read().rpartition(")")[2].split()[1]) == parent
            with open(f"/proc/{name}/cmdline") as file:
                worker = "understudy.measuring.worker" in file.read()
        except OSError:
            continue
        if ours and worker:
            found.append(int(name))
    return found
