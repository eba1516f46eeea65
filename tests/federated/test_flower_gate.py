"""From outside, sites reach what is for sites; the Control API needs the secret, the Runtime API loopback."""

import asyncio

import pytest

from understudy.federated.flower_gate import GATE_HEADER, Gate

OUTSIDE, INSIDE = ("10.0.0.9", 5000), ("127.0.0.1", 5000)


def status(path, *, client=INSIDE, headers=(), server=("10.0.0.5", 8443), kind="http"):
    """Return what the gate answers: 200 stands for what was passed on."""
    sent = []

    async def behind(_scope, _receive, send):
        await send({"type": "passed", "status": 200})

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "path": path, "client": client, "server": server, "headers": list(headers)}
    asyncio.run(Gate(behind, b"s3cret")(scope, None, send))
    return sent[0].get("status", sent[0]["type"])


SECRET = (GATE_HEADER.encode(), b"s3cret")


@pytest.mark.parametrize("client", [OUTSIDE, INSIDE])
@pytest.mark.parametrize("path", ["/v1/fleet/pull-messages", "/v1/fleet/activate-node", "/health"])
def test_sites_reach_what_is_for_sites(path, client):
    assert status(path, client=client) == 200


@pytest.mark.parametrize("client", [OUTSIDE, INSIDE])
@pytest.mark.parametrize(
    "headers",
    [(), [(GATE_HEADER.encode(), b"guess")], [SECRET, SECRET], [(b"authorization", b"s3cret")]],
)
def test_nobody_starts_runs_or_registers_keys_without_the_secret(client, headers):
    for path in ("/v1/control/register-node", "/v1/control/start-run"):
        assert status(path, client=client, headers=headers) == 404


def test_the_server_itself_does():
    assert status("/v1/control/start-run", headers=[SECRET]) == 200


def test_the_runtime_is_for_this_machine():
    path = "/v1/runtime/push-messages"
    assert status(path, client=INSIDE) == 200
    assert status(path, client=("10.0.0.5", 4), server=("10.0.0.5", 8443)) == 200
    assert status(path, client=OUTSIDE) == 404
    assert status(path, client=None) == 404
    assert status(path, client=("a-pipe", 0)) == 404


@pytest.mark.parametrize(
    "path",
    ["/", "/docs", "/openapi.json", "/v1", "/v1/fleet", "/V1/control/start-run", "//v1/control/start-run"],
)
def test_everything_else_is_closed(path):
    assert status(path, headers=[SECRET]) == 404


def test_other_protocols_are_closed_and_the_start_is_passed_on():
    assert status("/v1/fleet/x", kind="websocket") == "websocket.close"
    assert status("", kind="lifespan") == 200
