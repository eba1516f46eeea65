"""Real SuperNodes: who is not known or not to be trusted does not come in, and a slow site is left behind."""

import os
import subprocess
import time

import pytest

from federated.deployments import lay_out, running, words
from understudy.errors import InputError, LinkError
from understudy.federated.certificates import make_certificates, make_site_key
from understudy.federated.channel import Address, SiteChannel
from understudy.federated.flower_link import Link
from understudy.federated.flower_node import Node
from understudy.federated.flower_server import FlowerExchange, server_app
from understudy.federated.message import Message
from understudy.federated.processes import Child, free_port, keep_quiet


def test_nothing_is_started_for_a_line_that_is_refused(tmp_path):
    with pytest.raises(InputError, match="plaintext"):
        Node(SiteChannel(Address("10.0.0.5", 8443)), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_no_supernode_is_started_for_a_server_that_is_not_there(tmp_path):
    make_certificates(tmp_path, ["127.0.0.1"])
    channel = SiteChannel(Address("127.0.0.1", free_port()), tmp_path / "ca.pem")
    with pytest.raises(LinkError, match="no server at"), Node(channel, tmp_path / "run"):
        pass
    assert not (tmp_path / "run" / "supernode.log").exists()


@pytest.fixture(scope="module")
def deployed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deployed")
    channel = lay_out(folder, ["a", "b"])
    with Link(channel, folder / "server") as link:
        yield folder, channel, link


@pytest.mark.slow
def test_an_unknown_key_is_refused(deployed, tmp_path):
    _, channel, link = deployed
    link.register()
    make_site_key(tmp_path / "x")
    with running(words(channel, tmp_path, "x")) as (site,):
        said, _ = site.communicate(timeout=60)
    assert site.returncode == 3
    assert "does not let this site in" in said


@pytest.mark.slow
def test_no_key_is_refused(deployed, tmp_path):
    _, channel, link = deployed
    link.register()
    with running(words(channel, tmp_path, "x")[:-1]) as (site,):
        said, _ = site.communicate(timeout=60)
    assert site.returncode == 3
    assert "does not let this site in" in said


@pytest.mark.slow
@pytest.mark.parametrize("own_check", [True, False])
def test_a_wrong_authority_is_refused_by_us_and_by_flower(deployed, tmp_path, own_check):
    _, channel, _ = deployed
    make_certificates(tmp_path / "other", ["127.0.0.1"])
    make_site_key(tmp_path / "a")
    wrong = SiteChannel(channel.address, tmp_path / "other" / "ca.pem", tmp_path / "a" / "site.key")
    if own_check:
        with pytest.raises(LinkError, match="not to be trusted"), Node(wrong, tmp_path / "run"):
            pass
    else:
        assert "CERTIFICATE_VERIFY_FAILED" in _supernode_alone(wrong, tmp_path)


@pytest.mark.slow
def test_an_expired_certificate_is_refused_by_us_and_by_flower(tmp_path):
    old = lay_out(tmp_path, ["a"], days=-0.01)
    with pytest.raises(InputError, match="expired"):
        Link(old, tmp_path / "server")
    # A server that does not look: Flower's own program, with the old certificate.
    command = ["flower-superlink", "--host", "127.0.0.1", "--port", str(old.address.port),
               "--isolation", "process",
               "--ssl-ca-certfile", str(old.authority), "--ssl-certfile", str(old.certificate),
               "--ssl-keyfile", str(old.key), "--enable-supernode-auth"]  # fmt: skip
    environment = keep_quiet(tmp_path / "flower")
    command[0] = os.path.join(environment["PATH"].split(os.pathsep)[0], command[0])
    link = Child("SuperLink", command, tmp_path / "log", environment)
    try:
        link.wait_for_port("127.0.0.1", old.address.port, 60.0)
        site = SiteChannel(old.address, old.authority, tmp_path / "a" / "site.key")
        with pytest.raises(InputError, match="expired"):
            site.check()
        with pytest.raises(LinkError, match="expired"):
            site.meet()
        assert "CERTIFICATE_VERIFY_FAILED" in _supernode_alone(site, tmp_path)
    finally:
        link.stop()


def _supernode_alone(channel, folder):
    """Return what Flower's own SuperNode says at its end, without anything of ours before it."""
    environment = keep_quiet(folder / "flower")
    program = os.path.join(environment["PATH"].split(os.pathsep)[0], "flower-supernode")
    done = subprocess.run(
        [program, "--superlink", str(channel.address), "--isolation", "process", "--port", str(free_port()),
         "--root-certificates", str(channel.authority), "--auth-supernode-private-key", str(channel.key)],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    return done.stdout + done.stderr


@pytest.mark.slow
def test_a_slow_site_costs_a_deadline_and_its_late_answer_is_dropped(tmp_path):
    channel = lay_out(tmp_path, ["a", "b"])
    rounds = []
    with Link(channel, tmp_path / "server") as link:
        nodes = link.register()

        def work(grid, _):
            line = FlowerExchange(grid, nodes, alive=link.alive)
            line.wait(2, 60.0)
            for number in range(3):
                asked = {
                    "a": Message("train", {"round": number}),
                    "b": Message("train", {"round": number, "slow": 14.0 if number == 0 else 0.0}),
                }
                started = time.monotonic()
                found = line.ask(asked, 10.0)
                rounds.append((time.monotonic() - started, {n: m.facts["round"] for n, m in found.items()}))
            line.ask({name: Message("close") for name in line.names}, 20.0)

        with running(*(words(channel, tmp_path, name) for name in ("a", "b"))):
            link.run(server_app(work))
    assert rounds[0][1] == {"a": 0}
    assert 10.0 <= rounds[0][0] < 13.0
    for number, (seconds, found) in enumerate(rounds):
        assert seconds < 13.0
        assert set(found.values()) == {number}
    assert rounds[2][1] == {"a": 2, "b": 2}


@pytest.mark.slow
def test_a_site_that_is_killed_takes_its_supernode_with_it(tmp_path):
    channel = lay_out(tmp_path, ["a"])
    with Link(channel, tmp_path / "server") as link:
        link.register()
        site = subprocess.Popen(words(channel, tmp_path, "a"), stdout=subprocess.PIPE, text=True)
        try:
            assert site.stdout.readline() == "up\n"
            children = _children(site.pid)
        finally:
            site.kill()
            site.wait()
            site.stdout.close()
        assert children
        until = time.monotonic() + 20.0
        while any(os.path.exists(f"/proc/{child}") for child in children):
            assert time.monotonic() < until
            time.sleep(0.1)


def _children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]
