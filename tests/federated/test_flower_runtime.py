"""Tasks are asked for with the secret, kept alive while they are worked on, and reported as they ended."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from flwr.proto.runtime_pb2 import AcquireTaskResponse, PushTaskOutputRequest, SendTaskHeartbeatResponse
from flwr.proto.task_pb2 import Task
from flwr.supercore.constant import TaskType

from understudy.federated.flower_runtime import Runtime

ANSWERS = {
    "acquire-task": AcquireTaskResponse(task=Task(task_id=5), token="t0ken"),
    "send-task-heartbeat": SendTaskHeartbeatResponse(success=True),
}


@pytest.fixture
def served():
    """Return where a stand-in of a SuperNode listens, what it heard, and how it answers."""
    heard, answers = [], dict(ANSWERS)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            name = self.path.rsplit("/", 1)[-1]
            heard.append((name, dict(self.headers), body))
            answer = answers.get(name)
            self.send_response(500 if answer is False else 200)
            content = answer.SerializeToString() if answer else b""
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Runtime(f"127.0.0.1:{server.server_port}", None, b"s3cret"), heard, answers
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_task_is_asked_for_with_a_signature_and_never_with_the_secret_itself(served):
    runtime, heard, answers = served
    assert runtime.acquire(TaskType.CLIENT_APP) == "t0ken"
    ((_, headers, body),) = heard
    assert any("signature" in name.lower() for name in headers)
    assert "s3cret" not in str(headers) and b"s3cret" not in body
    answers["acquire-task"] = AcquireTaskResponse()
    assert runtime.acquire(TaskType.CLIENT_APP) is None


def test_a_refusal_is_an_error(served):
    runtime, _, answers = served
    answers["acquire-task"] = False
    with pytest.raises(httpx.HTTPStatusError):
        runtime.acquire(TaskType.CLIENT_APP)


def ended(heard):
    return [
        PushTaskOutputRequest.FromString(body).sub_status
        for name, _, body in heard
        if name == "push-task-output"
    ]


def test_a_task_that_is_done_is_reported_as_completed(served):
    runtime, heard, _ = served
    with runtime.task("t0ken"):
        pass
    assert ended(heard) == ["completed"]
    assert "t0ken" in str(heard[-1][1])


def test_a_task_that_fails_is_reported_as_failed(served):
    runtime, heard, _ = served
    with pytest.raises(ZeroDivisionError), runtime.task("t0ken"):
        raise ZeroDivisionError
    assert ended(heard) == ["failed"]


def test_a_task_gives_signs_of_life_and_survives_one_that_is_lost(served, monkeypatch):
    monkeypatch.setattr("understudy.federated.flower_runtime._BEAT", 0.01)
    runtime, heard, answers = served
    answers["send-task-heartbeat"] = False
    with runtime.task("t0ken"):
        while sum(name == "send-task-heartbeat" for name, _, _ in heard) < 3:
            pass
    assert ended(heard) == ["completed"]


def test_nobody_is_left_to_be_told_and_that_is_no_error(served):
    runtime, heard, answers = served
    answers["push-task-output"] = False
    with runtime.task("t0ken"):
        pass
    assert heard[-1][0] == "push-task-output"
