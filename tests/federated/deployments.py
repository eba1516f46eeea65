"""Real SuperLinks and SuperNodes on loopback: certificates, keys, and sites in their own processes."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from understudy.federated.certificates import make_certificates, make_site_key
from understudy.federated.channel import Address, ServerChannel
from understudy.federated.processes import free_port

HERE = Path(__file__).parent


def lay_out(folder, names, *, hosts=("127.0.0.1", "localhost"), days=365):
    """Make certificates and a key for each site, and return the channel of the server."""
    tls = folder / "tls"
    make_certificates(tls, hosts, days=days)
    for name in names:
        make_site_key(folder / name)
    return ServerChannel(
        Address("127.0.0.1", free_port()),
        tls / "ca.pem",
        tls / "server.pem",
        tls / "server.key",
        {name: folder / name / "site.pub" for name in names},
    )


def words(channel, folder, name):
    """Return the words that start a far site of this channel."""
    found = [
        sys.executable,
        str(HERE / "far_site.py"),
        name,
        str(channel.address),
        str(folder / name / "run"),
    ]
    if channel.plain:
        return found
    return [*found, str(channel.authority), str(folder / name / "site.key")]


@contextmanager
def running(*commands):
    """Run commands side by side and yield the processes; all of them are over at the end."""
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for command in commands
    ]
    try:
        yield started
    finally:
        for process in started:
            if process.poll() is None:
                process.terminate()
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
