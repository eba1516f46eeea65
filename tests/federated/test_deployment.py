"""Server and sites as their owners start them: the numbers of one process, and nothing lost by a kill."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

import understudy as us
from federated.deployments import lay_out, running
from understudy.errors import InputError
from understudy.federated.channel import Address, ServerChannel, SiteChannel
from understudy.federated.deployment import Hosting, attend, host
from understudy.federated.exchange import InProcess
from understudy.federated.federation import Federation
from understudy.federated.partition import iid
from understudy.federated.site import Site
from understudy.federated.terms import Terms, columns_of
from understudy.table import builtin

NAMES = ("a", "b", "c")
SETTINGS = {"width": 16, "depth": 1, "sampling_steps": 2, "draws": 2, "batch": 32}
UNDERSTUDY = [sys.executable, "-m", "understudy", "federate"]


def test_nothing_is_started_on_a_line_that_is_refused(tmp_path):
    terms = Terms("findiff", {})
    with pytest.raises(InputError, match="plaintext"):
        host(Hosting(ServerChannel(Address("0.0.0.0", 8443)), tmp_path / "server", 2), terms)
    with pytest.raises(InputError, match="plaintext"):
        attend(SiteChannel(Address("10.0.0.5", 8443)), None, tmp_path / "site")
    assert list(tmp_path.iterdir()) == []


class Deployed:
    """Three sites with their tables, keys and folders, and the commands of everybody."""

    def __init__(self, folder, *, private, rounds):
        self.folder, self.private, self.rounds = folder, private, rounds
        self.channel = lay_out(folder, NAMES)
        table = builtin.load("people", 600)
        self.schema = us.Schema.infer(table).declare()
        self.schema.save(folder / "schema.json")
        for name, part in zip(NAMES, iid(table, len(NAMES)), strict=True):
            part.write(folder / f"{name}.arrow")

    def server(self):
        channel, folder = self.channel, self.folder
        sites = [word for name in NAMES for word in ("--site", f"{name}={folder / name / 'site.pub'}")]
        chosen = [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]
        return [*UNDERSTUDY, "server", "--listen", str(channel.address), "--ca", str(channel.authority),
                "--certificate", str(channel.certificate), "--key", str(channel.key), *sites, *chosen,
                "--schema", str(folder / "schema.json"), "--run", str(folder / "server"),
                "--rounds", str(self.rounds), "--local-steps", "3", "--rate", "0.1", "--json",
                "--patience", "300", "--deadline", "300",
                *([] if self.private else ["--without-budget"]), "-o", str(folder / "model")]  # fmt: skip

    def site(self, name):
        budget = ["--budget", "5"] if self.private else ["--without-budget"]
        own = self.folder / name
        return [*UNDERSTUDY, "site", str(self.folder / f"{name}.arrow"), *budget, "--json",
                "--server", str(self.channel.address), "--patience", "300",
                "--ca", str(self.channel.authority), "--key", str(own / "site.key"),
                "--schema", str(self.folder / "schema.json"), "--run", str(own / "run")]  # fmt: skip

    def in_one_process(self):
        """Return the model that the same sites and terms give in this process."""
        sites = [
            Site(name, us.read(str(self.folder / f"{name}.arrow")), schema=self.schema) for name in NAMES
        ]
        terms = Terms("findiff", columns_of(self.schema), SETTINGS, private=False, rounds=self.rounds,
                      local_steps=3, rate=0.1)  # fmt: skip
        return Federation(InProcess(sites, stacked=False), terms).fit()


def tensors(folder):
    return load_file(folder / "tensors.safetensors")


def assert_same(deployed):
    """The weights are those of one process, bit by bit."""
    deployed.in_one_process().save(deployed.folder / "expected")
    found, expected = tensors(deployed.folder / "model"), tensors(deployed.folder / "expected")
    assert set(found) == set(expected) and len(found) > 3
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.slow
def test_three_sites_over_tls_give_the_model_of_one_process(tmp_path):
    deployed = Deployed(tmp_path, private=False, rounds=2)
    with running(*map(deployed.site, NAMES)) as sites:
        done = subprocess.run(deployed.server(), capture_output=True, text=True, timeout=900, check=False)
        assert done.returncode == 0, done.stderr
        assert [site.wait(120) for site in sites] == [0, 0, 0]
    assert_same(deployed)


@pytest.mark.slow
def test_three_private_sites_give_a_sound_certificate_each(tmp_path):
    deployed = Deployed(tmp_path, private=True, rounds=2)
    with running(*map(deployed.site, NAMES)) as sites:
        done = subprocess.run(deployed.server(), capture_output=True, text=True, timeout=900, check=False)
        assert done.returncode == 0, done.stderr
        assert [site.wait(120) for site in sites] == [0, 0, 0]
    model = us.load(tmp_path / "model")
    assert model.certificate.sound
    prices = []
    for name in NAMES:
        at_site = us.Certificate.from_json((tmp_path / name / "run" / "certificate.json").read_text())
        at_server = us.Certificate.from_json(
            (tmp_path / "server" / "certificates" / f"{name}.json").read_text()
        )
        assert at_site.sound and at_site.entries == at_server.entries
        prices.append(at_site.epsilon(1e-9))
    assert max(prices) <= 5.0
    assert model.certificate.epsilon(1e-9) == pytest.approx(max(prices), rel=1e-6)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_a_server_that_is_killed_in_each_of_ten_rounds_ends_with_the_same_model(tmp_path):
    deployed = Deployed(tmp_path, private=False, rounds=10)
    when = random.Random(0)
    with running(*map(deployed.site, NAMES)):
        for killed_at in range(10):
            server = subprocess.Popen(deployed.server(), stdout=subprocess.DEVNULL)
            try:
                _wait_for_round(tmp_path / "server" / "rounds", killed_at, server)
                time.sleep(when.uniform(0.0, 3.0))
            finally:
                os.kill(server.pid, signal.SIGKILL)
                server.wait()
        done = subprocess.run(deployed.server(), capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    assert_same(deployed)


def _wait_for_round(folder, number, server):
    """Wait until so many rounds are written down: the next one is under way."""
    until = time.monotonic() + 600.0
    while time.monotonic() < until:
        assert server.poll() is None, "the server ended by itself"
        found = list(folder.glob("*.safetensors")) if folder.exists() else []
        done = 0
        for path in found:
            with safe_open(path, framework="np") as file:
                done = json.loads(file.metadata()["training"])["step"]
        if done >= number:
            return
        time.sleep(0.1)
    raise AssertionError(f"round {number} was not reached")
