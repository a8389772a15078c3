"""What the workers of the tests do."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any, NoReturn

from miscast.running.workers.fork_server import ForkServer
from miscast.running.workers.lines import send


def main(answers: int, how: str = "pool") -> None:
    {"pool": jobs, "dies": lambda _: None, "refuses": refuses, "forks": forks}[how](answers)


def refuses(answers: int) -> None:
    send(answers, {"error": "no such device here"})
    time.sleep(60)


def jobs(answers: int) -> None:
    send(answers, {"ready": os.getpid()})
    for line in sys.stdin:
        job = json.loads(line)
        send(answers, {"at": job["do"]})
        if job["do"] == "abort":
            os.abort()
        if job["do"] == "hang":
            time.sleep(60)
        send(answers, {"doubled": 2 * job["number"]})
        send(answers, {"done": job["number"]})


def forks(answers: int) -> None:
    state: list[int] = []

    def run(request: dict[str, Any], answer: int) -> NoReturn:
        if request["do"] == "raise":
            raise ValueError
        if request["do"] == "hang":
            time.sleep(60)
        if request["do"] == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        send(answer, {"state": state})
        os.write(answer, b'{"rest": ') if request["do"] == "break off" else None
        os._exit(3)

    ForkServer(answers, run, lambda request: state.append(request["add"]), completes={"state"}, width=2).serve()
