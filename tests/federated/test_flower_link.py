"""A real SuperLink over TLS: sites come in by their keys, and only what is for them is open."""

import socket
import ssl
import urllib.error
import urllib.request

import numpy as np
import pytest
from flwr.cli.config_utils import get_fab_config

from federated.deployments import lay_out, running, words
from understudy.errors import InputError
from understudy.federated.channel import Address, ServerChannel
from understudy.federated.flower_link import Link, bundle
from understudy.federated.flower_server import FlowerExchange, name_nodes, server_app
from understudy.federated.message import Message


def test_a_site_in_its_own_process_answers_over_tls(tmp_path):
    channel = lay_out(tmp_path, ["a", "b"])
    seen = {}
    with Link(channel, tmp_path / "server") as link:
        nodes = link.register()
        assert set(nodes) == {"a", "b"} and link.register() == nodes

        def work(grid, _):
            line = FlowerExchange(grid, {"a": nodes["a"]}, alive=link.alive)
            line.wait(1, 60.0)
            weights = np.arange(2_000_000, dtype=np.float32)
            seen.update(line.ask({"a": Message("close", {"round": 1}, {"weight": weights})}, 60.0))
            seen["same"] = bool(np.array_equal(seen["a"].arrays["weight"], weights))

        with running(words(channel, tmp_path, "a")) as (site,):
            link.run(server_app(work))
            assert site.wait(30) == 0
        assert _asked(channel, "/v1/control/list-nodes") == 404
        assert _asked(channel, "/docs") == 404
        assert _plain(channel) == b""
    assert seen["a"].facts == {"round": 1, "name": "a"} and seen["same"]
    assert not link.alive()


def _asked(channel, path):
    """Return the status that somebody without the secret gets."""
    context = ssl.create_default_context(cafile=str(channel.authority))
    try:
        with urllib.request.urlopen(
            f"https://{channel.own}{path}", data=b"", context=context, timeout=10
        ) as found:
            return found.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def _plain(channel):
    """Return what somebody who speaks plaintext gets."""
    with socket.create_connection((channel.own.host, channel.own.port), 10) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        try:
            return line.recv(100)
        except ConnectionError:
            return b""


def test_nothing_is_started_for_a_line_that_is_refused(tmp_path):
    with pytest.raises(InputError, match="plaintext"):
        Link(ServerChannel(Address("0.0.0.0", 8443)), tmp_path / "server")
    assert not (tmp_path / "server").exists()


def test_the_bundle_of_a_run_holds_no_code():
    config = get_fab_config(bundle())
    assert config["project"]["dependencies"] == []
    assert bundle() == bundle()


@pytest.mark.slow
def test_on_loopback_sites_without_keys_are_known_by_their_names(tmp_path):
    channel = ServerChannel(lay_out(tmp_path, ["a", "b"]).address)
    seen = {}
    with Link(channel, tmp_path / "server") as link:

        def work(grid, _):
            line = FlowerExchange(grid, name_nodes(grid, 2, patience=60.0), alive=link.alive)
            seen.update(line.ask({name: Message("close") for name in line.names}, 60.0))

        with running(*(words(channel, tmp_path, name) for name in ("a", "b"))):
            link.run(server_app(work))
    assert {name: answer.facts["name"] for name, answer in seen.items()} == {"a": "a", "b": "b"}
