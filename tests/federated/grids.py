"""A Grid in memory: sites answer at once, late, never, or with rubbish, as a test says."""

from __future__ import annotations

from flwr.app import Context, Error, Message, RecordDict
from flwr.serverapp import Grid
from flwr.supercore.task_identity import TaskIdentity

SERVER = 1


def identify(monkeypatch):
    """Give Flower's messages the run and the node that they ask for."""
    for name, value in {"_task_id": 1, "_run_id": 7, "_node_id": SERVER}.items():
        monkeypatch.setattr(TaskIdentity, name, value)


class Memory(Grid):
    """Nodes by number; `apps` answers, `silent` never do, `later` answer only after so many looks."""

    def __init__(self, apps, *, offline=(), later=None, spoil=None, broken=()):
        self.apps, self.offline, self.broken = apps, set(offline), set(broken)
        self.later = dict(later or {})
        self.spoil = spoil or {}
        self.waiting = {}
        self.sent = []

    def set_run(self, run):
        raise NotImplementedError

    @property
    def run(self):
        raise NotImplementedError

    def create_message(self, *args, **kwargs):
        raise NotImplementedError

    def get_node_ids(self):
        return [node for node in self.apps if node not in self.offline]

    def push_messages(self, messages):
        numbers = []
        for message in messages:
            number = f"m{len(self.sent)}"
            message.metadata.__dict__["_message_id"] = number
            self.sent.append(message)
            self.waiting[number] = message
            numbers.append(number)
        return numbers

    def pull_messages(self, message_ids):
        found = []
        for number in list(message_ids):
            message = self.waiting.get(number)
            node = None if message is None else message.metadata.dst_node_id
            if node is None or self.later.get(node, 0) > 0:
                if node is not None:
                    self.later[node] -= 1
                continue
            del self.waiting[number]
            found.append(self._answer(message, node))
        return found

    def send_and_receive(self, messages, *, timeout=None):  # noqa: ARG002 - nobody is late here
        return self.pull_messages(self.push_messages(messages))

    def _answer(self, message, node):
        if node in self.broken:
            self.broken.discard(node)
            return Message(Error(code=3, reason="gone"), reply_to=message)
        context = Context(7, node, {}, RecordDict(), {})
        reply = self.apps[node](message, context)
        reply.metadata.__dict__["_src_node_id"] = node
        if node in self.spoil:
            reply.content = self.spoil[node](reply.content)
        return reply
