"""A real Chromium without a window, spoken to over a pipe: what a page asks for, says, and looks like to a keyboard."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FOUND = next(filter(None, map(shutil.which, NAMES)), None)
_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--no-first-run", "--remote-debugging-pipe",
)  # fmt: skip


class Browser:
    """One tab; `heard` are the events so far."""

    def __init__(self, reader, writer) -> None:
        self._reader, self._writer, self._number = reader, writer, 0
        self._session: str | None = None
        self._rest = b""
        self.heard: list[dict] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._writer.write(json.dumps(message).encode() + b"\0")
        self._writer.flush()
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told
                return told["result"]

    def _next(self) -> dict:
        while b"\0" not in self._rest:
            read = os.read(self._reader, 1 << 16)
            assert read, "the browser has ended"
            self._rest += read
        one, _, self._rest = self._rest.partition(b"\0")
        told = json.loads(one)
        if "method" in told:
            self.heard.append(told)
        return told

    def show(self, file: Path, *, width: int = 1200, dark: bool = False) -> None:
        self.heard.clear()
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=file.as_uri())
        while not any(one["method"] == "Page.loadEventFired" for one in self.heard):
            self._next()

    def value(self, expression: str):
        told = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def press(self, key: str, code: int) -> None:
        text = {"Enter": "\r"}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                **({"text": text} if text and kind == "keyDown" else {}),
            )  # fmt: skip

    @property
    def requests(self) -> list[str]:
        return [one["params"]["request"]["url"] for one in self.heard if one["method"] == "Network.requestWillBeSent"]

    @property
    def complaints(self) -> list[dict]:
        kinds = {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}
        return [one for one in self.heard if one["method"] in kinds]


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """One that keeps what it keeps in a folder."""
    there, write = os.pipe()
    read, back = os.pipe()
    command = shlex.join([str(FOUND), *_OPTIONS, f"--user-data-dir={folder}", "about:blank"])
    process = subprocess.Popen(
        ["/bin/bash", "-c", f"exec {command} 3<&{there} 4>&{back}"],
        pass_fds=(there, back), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(there)
    os.close(back)
    with os.fdopen(write, "wb") as writer:
        try:
            yield Browser(read, writer)
        finally:
            with suppress(OSError, AssertionError):
                writer.write(b'{"id":0,"method":"Browser.close"}\0')
                writer.flush()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(read)
