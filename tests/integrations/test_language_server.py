"""`miscast lsp`, asked by pygls' own client over stdio: findings while somebody types, hover, safe fixes, `check`'s."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

import miscast
from command import SOURCE, miscast_in
from miscast.report import json as as_json

TRAIN = "model: x\nseed: 1\n# 😀 speed\nfp16: true\ntf32: true  # fast\noutput_dir: out\n"
LAUNCHER = "distributed_type: DEEPSPEED\nmixed_precision: bf16\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n"
ENGINE = '{\n  "train_batch_size": 8,\n  "fp16": {"enabled": true}\n}\n'


class Editor(LanguageClient):
    """A client that keeps what it is told."""

    def __init__(self):
        super().__init__("editor", "1")
        self.told = {}
        self.news = asyncio.Event()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params):
            self.told[os.path.basename(params.uri)] = params.diagnostics
            self.news.set()

    def open(self, file, text=None):
        given = file.read_text("utf-8") if text is None else text
        item = types.TextDocumentItem(uri=file.as_uri(), language_id="yaml", version=1, text=given)
        self.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    def type(self, file, text, version):
        document = types.VersionedTextDocumentIdentifier(uri=file.as_uri(), version=version)
        change = types.TextDocumentContentChangeWholeDocument(text=text)
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=document, content_changes=[change])
        )

    async def until(self, name, holds):
        """Wait for what a file is told; its diagnostics."""
        while name not in self.told or not holds(self.told[name]):
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 60)
        return list(self.told[name])

    async def hover(self, file, line):
        at = types.Position(line=line, character=0)
        told = await self.text_document_hover_async(
            types.HoverParams(text_document=types.TextDocumentIdentifier(uri=file.as_uri()), position=at)
        )
        return told.contents.value if told else None

    async def actions(self, file, line):
        here = types.Position(line=line, character=0)
        asked = types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=file.as_uri()),
            range=types.Range(start=here, end=here),
            context=types.CodeActionContext(diagnostics=[]),
        )
        return list(await self.text_document_code_action_async(asked))


def session(talk, *options):
    async def whole():
        editor = Editor()
        os.environ["PYTHONPATH"] = SOURCE
        await editor.start_io(sys.executable, "-m", "miscast", "lsp", *options)
        await editor.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
        editor.initialized(types.InitializedParams())
        await talk(editor)
        await editor.shutdown_async(None)
        editor.exit(None)
        await editor.stop()

    before = os.environ.get("PYTHONPATH")
    try:
        asyncio.run(whole())
    finally:
        os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)


@pytest.fixture
def train(tmp_path):
    file = tmp_path / "train.yaml"
    file.write_text(TRAIN, "utf-8")
    return file


def test_typing_hover_and_a_safe_fix(train):
    async def talk(editor):
        editor.open(train)
        (found,) = await editor.until("train.yaml", bool)
        assert found.source == "miscast"
        assert found.range.start.line == 4
        assert "(safe)" not in found.message
        assert "help: switch it off" in found.message
        assert "\nValueError: --tf32 requires" in found.message
        hover = await editor.hover(train, 3)
        assert "- autocast `float16` ← `train.yaml:4` fp16  **(here)**" in hover
        assert await editor.hover(train, 2) is None
        assert await editor.actions(train, 0) == []
        (action,) = await editor.actions(train, 4)
        (edit,) = action.edit.changes[train.as_uri()]
        assert (action.kind, action.title) == ("quickfix", "switch it off")
        assert edit.new_text == "tf32: false  # fast"
        assert edit.range.start == types.Position(line=4, character=0)
        assert edit.range.end == types.Position(line=4, character=len("tf32: true  # fast"))
        editor.type(train, TRAIN.replace("tf32: true", "tf32: false"), 2)
        assert await editor.until("train.yaml", lambda told: not told) == []
        assert train.read_text("utf-8") == TRAIN, "nothing was written"

    session(talk, "--machine", "v100")


@pytest.mark.slow
def test_files_of_a_folder_are_one_world(tmp_path):
    (tmp_path / "accelerate.yaml").write_text(LAUNCHER)
    (tmp_path / "ds.json").write_text(ENGINE.replace("true", "false"))
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "ds.json").write_text(ENGINE)

    async def talk(editor):
        editor.open(tmp_path / "accelerate.yaml")
        editor.open(tmp_path / "ds.json", ENGINE)  # typed, and not saved
        (found,) = await editor.until("accelerate.yaml", bool)
        assert found.code == "engine-contradicts-launcher"
        (other,) = found.related_information
        assert other.location.uri == (tmp_path / "ds.json").as_uri()
        assert other.location.range.start.line == 2
        editor.type(tmp_path / "ds.json", "{ half a fi", 2)
        assert await editor.until("accelerate.yaml", lambda told: not told) == []
        editor.type(tmp_path / "ds.json", ENGINE.replace("true", "false"), 3)
        assert await editor.hover(tmp_path / "accelerate.yaml", 1)

    session(talk)


def test_what_the_last_check_found_stands_where_its_line_is_now(tmp_path):
    script, kept = tmp_path / "train.py", tmp_path / "report.json"
    line = "y = model(x)"
    script.write_text(f"import torch\n{line}\n")
    at = miscast.Location(file=str(script), line=2, code=line)
    stale = miscast.Location(file=str(script), line=1, code="it = was.here")
    told = {"rule": "operand-dtype-mismatch", "severity": "error", "message": "linear mixes", "op": "linear"}
    findings = tuple(miscast.Finding(**told, phase="forward", location=one) for one in (at, stale))
    kept.write_text(as_json.render(miscast.Report(machine="cpu", torch="2.13.0", findings=findings)))

    async def talk(editor):
        editor.open(script, f"import torch\n\n\n{line}\n")
        (found,) = await editor.until("train.py", bool)
        assert (found.range.start.line, found.code) == (3, "operand-dtype-mismatch")
        editor.type(script, "import torch\n", 2)
        assert await editor.until("train.py", lambda told: not told) == []

    session(talk, "--report", str(kept))


def test_an_unknown_machine_is_one_line():
    ran = miscast_in(None, "lsp", "--machine", "v10")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("miscast: unknown machine 'v10': did you mean v100?")


def test_a_message_larger_than_memory_and_a_report_that_is_not_there_yet_are_a_line_each(tmp_path):
    command = [sys.executable, "-m", "miscast", "lsp", "--report", "none.json"]
    env = os.environ | {"PYTHONPATH": SOURCE}
    sent = b"Content-Length: 99999999999999\r\n\r\n{}"
    ran = subprocess.run(command, env=env, cwd=tmp_path, input=sent, capture_output=True, check=False, timeout=60)
    told = ["miscast: no report none.json yet", "miscast: a message of the editor is too large"]
    assert (ran.returncode, ran.stderr.decode().splitlines()) == (2, told)


@pytest.mark.skipif(os.name == "nt", reason="a terminal's Ctrl-C is a signal elsewhere")
def test_ctrl_c_ends_it_while_it_reads():
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    command, env = [sys.executable, "-m", "miscast", "lsp"], os.environ | {"PYTHONPATH": SOURCE}
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as it:
        it.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(asked), asked))
        it.stdin.flush()
        assert it.stdout.readline().startswith(b"Content-")  # it serves
        it.send_signal(signal.SIGINT)
        try:
            assert it.wait(20) == -signal.SIGINT
        finally:
            it.kill()


def test_without_pygls_it_says_what_to_install():
    code = "import sys; sys.modules['pygls'] = None; from miscast.cli import main; sys.exit(main(['lsp']))"
    env = os.environ | {"PYTHONPATH": SOURCE}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, ran.stderr) == (2, "miscast: lsp needs pygls: pip install 'miscast[lsp]'\n")
    assert json.dumps(ran.stdout) == '""'
