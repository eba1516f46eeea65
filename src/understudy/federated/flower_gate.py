"""Flower's SuperLink behind a gate: from outside, sites reach what is for sites, and nothing else.

A SuperLink serves three things at one port: the Fleet API for sites, the Runtime API for the app of the
server, and the Control API, which starts runs and registers keys of sites, and which asks nobody who they
are unless an identity provider is bought. Whoever reaches the port could so register a key and come in as
a site. Here the Control API needs a secret that only the server's own folder holds, the Runtime API is for
loopback, and what is left (documentation, say) is closed.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
from pathlib import Path
from typing import Any, final

__all__ = ["GATE_FILE", "GATE_HEADER", "Gate", "serve"]

GATE_HEADER = "x-understudy-secret"
GATE_FILE = "UNDERSTUDY_FEDERATION_SECRET_FILE"
_FLEET, _RUNTIME, _CONTROL, _HEALTH = "/v1/fleet/", "/v1/runtime/", "/v1/control/", "/health"


@final
class Gate:
    """An ASGI app around another one, that answers 404 to what is not for the caller."""

    def __init__(self, app: Any, secret: bytes) -> None:
        self._app = app
        self._secret = secret

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the call on, or close the door."""
        if scope["type"] == "lifespan" or (scope["type"] == "http" and self._may(scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        else:
            await send({"type": "websocket.close"})

    def _may(self, scope: Any) -> bool:
        path = str(scope["path"])
        if path.startswith(_FLEET) or path == _HEALTH:
            return True
        if path.startswith(_RUNTIME):
            return _is_local(scope.get("client"), scope.get("server"))
        if not path.startswith(_CONTROL):
            return False
        said = [value for name, value in scope["headers"] if name == GATE_HEADER.encode()]
        return len(said) == 1 and hmac.compare_digest(said[0], self._secret)


def _is_local(client: Any, server: Any) -> bool:
    """Say whether a call came from this machine: from loopback, or from the very address it went to."""
    if client is None:
        return False
    try:
        return ipaddress.ip_address(client[0]).is_loopback or (server is not None and client[0] == server[0])
    except ValueError:
        return False


def serve() -> None:
    """Run a SuperLink with the words of `flower-superlink`, behind the gate."""
    import uvicorn
    from flwr.superlink.cli.flower_superlink import SuperLinkLifespan, _parse_superlink_lifespan_config
    from flwr.superlink.main import create_app

    secret = Path(os.environ[GATE_FILE]).read_bytes()
    config = _parse_superlink_lifespan_config()
    uvicorn.run(
        Gate(create_app(config, SuperLinkLifespan), secret),
        host=config.host,
        port=config.port,
        access_log=False,
        proxy_headers=False,  # nobody says for himself where he comes from
        ssl_keyfile=config.ssl_keyfile,
        ssl_certfile=config.ssl_certfile,
        workers=1,
    )
