"""What a program sees of the network, what of it arrives outside, and what is told: each case a program and the three.

The world outside is a process of its own (`outside.py`). A program's HTTP, UDP and PATH are its addresses; the line
marked `# told` is where the effect is to be found.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from box_costs import calls_of

from miscast.box.network import Network, closed
from sweep import sweep

HERE = Path(__file__).parent
MARKS = {"PYTEST_CURRENT_TEST", "_MLFLOW_TELEMETRY_SESSION_ID"}  # what pytest, and mlflow when it is imported, leave
REFUSED, UNREACHABLE, UNKNOWN = "ConnectionRefusedError", "OSError", "gaierror"


class MultiRankTrace:
    """The process outside and what arrived there."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.process = subprocess.Popen([sys.executable, HERE / "outside.py", log], stdout=subprocess.PIPE, text=True)
        http, udp, self.path = self.process.stdout.readline().split()
        self.http, self.udp = int(http), int(udp)

    def arrived(self) -> list[str]:
        time.sleep(0.05)
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    made = MultiRankTrace(tmp_path_factory.mktemp("outside") / "log")
    yield made
    made.process.kill()
    made.process.wait()
    made.process.stdout.close()


class Run:
    """A program run behind the shield: its variables, or its error; what was told, with lines."""

    def __init__(self, source: str, folder: Path, world: MultiRankTrace, **network) -> None:
        self.source = textwrap.dedent(source)
        file = folder / "program.py"
        file.write_text(self.source)
        self.told: list[tuple[str, str, int | None]] = []
        self.error: BaseException | None = None
        self.names = {"HTTP": world.http, "UDP": world.udp, "PATH": world.path, "URL": f"http://127.0.0.1:{world.http}"}
        self.names |= {"__name__": "program", "FOLDER": str(folder)}
        before = state()
        with closed(Network(tell=self._tell, **network)):
            try:
                exec(compile(self.source, file, "exec"), self.names)
            except Exception as error:  # noqa: BLE001 - it is what is looked at
                self.error = error
        assert state() == before

    def _tell(self, kind: str, what: str, action: str) -> None:
        assert kind == "network"
        frame = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.endswith("program.py"):
            frame = frame.f_back
        self.told.append((what, action, frame and frame.f_lineno))

    def line(self) -> int:
        return next(n for n, text in enumerate(self.source.splitlines(), 1) if "# told" in text)


def state():
    """What a check must leave as it was."""
    import http.client

    methods = [
        vars(owner).get(name)
        for owner, name in (
            (socket.socket, "connect"),
            (socket.socket, "sendto"),
            (socket, "getaddrinfo"),
            (http.client.HTTPConnection, "putrequest"),
        )
    ]
    finders = [f for f in sys.meta_path if type(f).__module__.startswith("miscast")]
    return methods, finders, {name: value for name, value in os.environ.items() if name not in MARKS}


class Case(NamedTuple):
    """`sees` is the value of `seen`, or the name of the error's class; `what` may name HTTP and UDP in braces."""

    name: str
    program: str
    sees: object
    what: str = ""
    action: str = ""
    needs: str = ""


OWN = """
    import threading, http.server
    got = []
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
        def log_message(self, *a): pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
"""
ASYNC = """
    import asyncio, sys
    async def main():
        {}
    seen = asyncio.run(main())
"""

CASES = [
    Case(
        "tcp",
        'import socket\nsocket.socket().connect(("127.0.0.1", HTTP))  # told',
        REFUSED,
        "127.0.0.1:{http}",
        "connect",
    ),
    Case(
        "tcp by a name of this machine",
        'import socket\nsocket.socket().connect(("localhost", HTTP))  # told',
        REFUSED,
        "localhost:{http}",
        "connect",
    ),
    Case(
        "tcp over IPv6",
        'import socket\nsocket.socket(socket.AF_INET6).connect(("::ffff:127.0.0.1", HTTP))  # told',
        REFUSED,
        "[::ffff:127.0.0.1]:{http}",
        "connect",
    ),
    Case(
        "connect_ex",
        'import socket\nseen = socket.socket().connect_ex(("10.1.2.3", 80))  # told',
        111,
        "10.1.2.3:80",
        "connect",
    ),
    Case(
        "a name with a port",
        'import socket\nsocket.create_connection(("api.example.com", 443))  # told',
        UNKNOWN,
        "api.example.com:443",
        "connect",
    ),
    Case(
        "a question that carries data",
        'import socket\nsocket.gethostbyname("secret.example.com")  # told',
        UNKNOWN,
        "secret.example.com",
        "look up",
    ),
    Case(
        "the same, of the C module",
        'import _socket\n_socket.getaddrinfo("secret.example.com", None)  # told',
        UNKNOWN,
        "secret.example.com",
        "look up",
    ),
    Case(
        "udp",
        'import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", UDP))  # told',
        UNREACHABLE,
        "127.0.0.1:{udp}",
        "send",
    ),
    Case(
        "udp, connected",
        'import socket\nsocket.socket(type=socket.SOCK_DGRAM).connect(("127.0.0.1", UDP))  # told',
        UNREACHABLE,
        "127.0.0.1:{udp}",
        "send",
    ),
    Case(
        "udp by sendmsg",
        'import socket\nsocket.socket(type=2).sendmsg([b"x"], [], 0, ("127.0.0.1", UDP))  # told',
        UNREACHABLE,
        "127.0.0.1:{udp}",
        "send",
    ),
    Case(
        "multicast at a port of one's own",
        """
        import socket
        socket.socket(type=socket.SOCK_DGRAM).bind(("", 50071))
        socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("224.1.1.1", 50071))  # told
        """,
        UNREACHABLE,
        "224.1.1.1:50071",
        "send",
    ),
    Case(
        "a unix socket of somebody else",
        'import socket\nsocket.socket(1, 2).sendto(b"x", PATH)  # told',
        UNREACHABLE,
        "{path}",
        "send",
    ),
    Case(
        "urllib, upload",
        """
        import urllib.request, json
        answer = urllib.request.urlopen(f"{URL}/log", data=b"1")  # told
        seen = answer.status, json.load(answer), answer.headers["Content-Type"]
        """,
        (200, {}, "application/json"),
        "127.0.0.1:{http}",
        "POST",
    ),
    Case(
        "urllib, question",
        'import urllib.request\nurllib.request.urlopen(f"{URL}/log")  # told',
        "URLError",
        "127.0.0.1:{http}",
        "GET",
    ),
    Case(
        "urlretrieve",
        'import urllib.request\nurllib.request.urlretrieve("https://example.com/a")  # told',
        "URLError",
        "example.com:443",
        "GET",
    ),
    Case(
        "http.client",
        """
        from http.client import HTTPSConnection
        c = HTTPSConnection("api.example.com")
        c.request("PUT", "/a", b"body", {"X-Amz-Date": "1"})  # told
        seen = c.getresponse().read()
        """,
        b"",
        "api.example.com:443",
        "PUT",
    ),
    Case(
        "xmlrpc",
        'import xmlrpc.client\nseen = xmlrpc.client.ServerProxy("http://e.com/").f(1)  # told',
        True,
        "e.com:80",
        "POST",
    ),
    Case(
        "requests, upload",
        'import requests\nseen = requests.post(f"{URL}/a", json={}).json()  # told',
        {},
        "127.0.0.1:{http}",
        "POST",
        "requests",
    ),
    Case(
        "requests, question with retries",
        """
        import requests
        from requests.adapters import HTTPAdapter
        from urllib3.util import Retry
        s = requests.Session()
        s.mount("https://", HTTPAdapter(max_retries=Retry(5, backoff_factor=3)))
        s.get("https://example.com/a")  # told
        """,
        "ConnectionError",
        "example.com:443",
        "GET",
        "requests",
    ),
    Case(
        "urllib3",
        'import urllib3\nseen = urllib3.PoolManager().request("DELETE", "https://e.com/").data  # told',
        b"{}",
        "e.com:443",
        "DELETE",
        "urllib3",
    ),
    Case(
        "httpx2, upload",
        'import httpx2\nseen = httpx2.post("https://e.com/", json={}).json()  # told',
        {},
        "e.com:443",
        "POST",
        "httpx2",
    ),
    Case(
        "httpx2, question",
        'import httpx2\nhttpx2.get("https://e.com/")  # told',
        "ConnectError",
        "e.com:443",
        "GET",
        "httpx2",
    ),
    Case(
        "httpx, upload",
        'import httpx\nseen = httpx.post("https://e.com/", json={}).json()  # told',
        {},
        "e.com:443",
        "POST",
        "httpx",
    ),
    Case(
        "httpx2, asynchronous",
        ASYNC.format("""import httpx2
        return (await httpx2.AsyncClient().patch("https://e.com/")).status_code  # told"""),
        200,
        "e.com:443",
        "PATCH",
        "httpx2",
    ),
    Case(
        "aiohttp, upload",
        ASYNC.format(
            """import aiohttp
        async with aiohttp.ClientSession() as s:
            async with s.post("https://e.com/", json={}) as r:  # told
                return r.status, await r.json()""".replace("{}", "{{}}")
        ).replace("{{}}", "{}"),
        (200, {}),
        "e.com:443",
        "POST",
        "aiohttp",
    ),
    Case(
        "asyncio",
        ASYNC.format('await asyncio.open_connection("127.0.0.1", HTTP)  # told'),
        REFUSED,
        "127.0.0.1:{http}",
        "connect",
    ),
    Case(
        "asyncio by name",
        ASYNC.format('await asyncio.open_connection("e.com", 80)  # told'),
        UNKNOWN,
        "e.com:80",
        "connect",
    ),
    Case(
        "websockets",
        'import websockets.sync.client as w\nw.connect("ws://e.com/")  # told',
        UNKNOWN,
        "e.com:80",
        "connect",
        "websockets",
    ),
    Case(
        "mail",
        'import smtplib\nsmtplib.SMTP("mail.example.com", 25)  # told',
        UNKNOWN,
        "mail.example.com:25",
        "connect",
    ),
    Case("ftp", 'import ftplib\nftplib.FTP("ftp.example.com")  # told', UNKNOWN, "ftp.example.com:21", "connect"),
    Case(
        "a log over HTTP",
        """
        import logging.handlers
        logging.handlers.HTTPHandler("e.com", "/log", method="POST").emit(logging.makeLogRecord({"msg": "x"}))  # told
        """,
        None,
        "e.com:80",
        "POST",
    ),
    Case(
        "a browser",
        'import webbrowser\nseen = webbrowser.open("https://e.com/x")  # told',
        True,
        "e.com",
        "open in a browser",
    ),
    Case(
        "a server of one's own",
        OWN
        + """
    import urllib.request
    urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/log", data=b"real").close()
    server.shutdown(); server.server_close()
    seen = got
    """,
        [b"real"],
    ),
    Case(
        "a server of one's own, by requests",
        OWN
        + """
    import requests
    requests.post(f"http://localhost:{server.server_port}/log", data=b"real")
    server.shutdown(); server.server_close()
    seen = got
    """,
        [b"real"],
        needs="requests",
    ),
    Case(
        "a child's server",
        """
        import multiprocessing, socket
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        def serve():
            server = socket.create_server(("127.0.0.1", 0))
            queue.put(server.getsockname()[1])
            server.accept()[0].sendall(b"hi")
        child = context.Process(target=serve)
        child.start()
        with socket.create_connection(("127.0.0.1", queue.get())) as s:
            seen = s.recv(2)
        child.join()
        """,
        b"hi",
    ),
    Case(
        "a server of the program's, asked by a child",
        """
        import multiprocessing, socket
        server = socket.create_server(("127.0.0.1", 0))
        sibling = multiprocessing.get_context("fork").Manager()
        values = sibling.dict()
        def ask():
            with socket.create_connection(server.getsockname()) as s:
                s.sendall(b"hi")
            values["done"] = True
        child = multiprocessing.get_context("fork").Process(target=ask)
        child.start()
        connection = server.accept()[0]
        seen = connection.recv(2)
        child.join()
        seen = seen, dict(values)
        sibling.shutdown()
        connection.close()
        server.close()
        """,
        (b"hi", {"done": True}),
    ),
    Case(
        "a manager of multiprocessing",
        """
        import multiprocessing
        with multiprocessing.get_context("fork").Manager() as manager:
            d = manager.dict(a=1)
            seen = dict(d)
        """,
        {"a": 1},
    ),
    Case(
        "a pair",
        'import socket\na, b = socket.socketpair()\na.send(b"x")\nseen = b.recv(1)\na.close()\nb.close()',
        b"x",
    ),
    Case(
        "a transport of one's own",
        """
        import httpx2
        transport = httpx2.MockTransport(lambda request: httpx2.Response(201))
        seen = httpx2.Client(transport=transport).post("https://e.com/").status_code
        """,
        201,
        needs="httpx2",
    ),
    Case(
        "wandb",
        """
        import wandb
        wandb.login(key="a" * 40, relogin=True)
        run = wandb.init(project="p", mode="online", config={"a": 1})  # told
        wandb.log({"loss": 1.0})
        run.summary["x"] = 1
        run.log_artifact(wandb.Artifact("n", "model"))
        seen = dict(run.config)
        run.finish()
        wandb.init()
        """,
        {"a": 1},
        "api.wandb.ai:443",
        "upload",
        "wandb",
    ),
    Case(
        "mlflow",
        """
        import mlflow
        mlflow.set_tracking_uri(URL)
        with mlflow.start_run():  # told
            mlflow.log_metric("loss", 1.0)
            mlflow.log_param("a", 1)
        seen = mlflow.last_active_run().info.status
        mlflow.set_tracking_uri(None)
        """,
        "FINISHED",
        "127.0.0.1:{http}",
        "upload",
        "mlflow",
    ),
    Case(
        "comet",
        """
        import comet_ml
        e = comet_ml.Experiment(api_key="x" * 20, project_name="p")  # told
        e.log_metric("loss", 1.0)
        e.end()
        """,
        None,
        "www.comet.com:443",
        "upload",
        "comet_ml",
    ),
]


@pytest.fixture
def left_open():
    """Programs leave sockets open: they go here, not in a test that comes later."""
    yield
    gc.collect()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("left_open")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_leaves(case, world, tmp_path, monkeypatch):
    if case.needs:
        pytest.importorskip(case.needs)
    monkeypatch.chdir(tmp_path)
    before = world.arrived()
    run = Run(case.program, tmp_path, world)
    if isinstance(case.sees, str) and run.error is not None:
        assert type(run.error).__name__ == case.sees
    else:
        assert run.error is None
        assert run.names.get("seen") == case.sees
    assert world.arrived() == before
    if case.what:
        what = case.what.format(http=world.http, udp=world.udp, path=world.path)
        assert (what, case.action, run.line()) in run.told
    else:
        assert not run.told


def test_a_connection_from_before_is_broken_for_the_program_only(world, tmp_path):
    with socket.create_connection(("127.0.0.1", world.http)) as old:
        sys.modules["program_old"] = old
        before = world.arrived()
        run = Run(
            'import sys\nsys.modules["program_old"].sendall(b"POST / HTTP/1.0\\r\\n\\r\\n")  # told', tmp_path, world
        )
        del sys.modules["program_old"]
        assert type(run.error) is BrokenPipeError
        assert run.told == [(f"127.0.0.1:{world.http}", "send", run.line())]
        assert world.arrived() == before
        old.sendall(b"GET /after HTTP/1.0\r\n\r\n")
        assert old.recv(12) == b"HTTP/1.1 404"
    assert world.arrived()[-1] == "GET /after"


def test_open_patches_nothing(world, tmp_path):
    with closed(Network(tell=print, mode="open")) as names:
        assert names == {}
    run = Run(
        "import urllib.request\nseen = urllib.request.urlopen(f'{URL}/x', data=b'1').read()",
        tmp_path,
        world,
        mode="open",
    )
    assert run.names["seen"] == b"real"


def test_what_a_program_took_by_name_is_the_original_again(world, tmp_path):
    (tmp_path / "taker.py").write_text("from webbrowser import open as taken")
    sys.modules.pop("webbrowser", None)
    Run("import sys; sys.path.insert(0, FOLDER); import taker; sys.path.remove(FOLDER)", tmp_path, world)
    import webbrowser

    assert sys.modules.pop("taker").taken is webbrowser.open
    assert not hasattr(webbrowser.open, "__wrapped__")
    assert "exec_module" not in vars(webbrowser.__loader__)


HUB = """
import os, sys, json
from miscast.box.network import Network, closed

told, asked = [], []
def tell(kind, what, action):
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != __file__:
        frame = frame.f_back
    told.append((what.partition(":")[0], action, frame is not None))

fetch = None
if os.environ["KIND"] == "isolated":
    import subprocess
    hub = subprocess.Popen([sys.executable, "-m", "miscast.box.network.hub"], stdin=-1, stdout=-1, text=True)
    def fetch(request):
        asked.append(request["hub"])
        hub.stdin.write(json.dumps(request) + chr(10))
        hub.stdin.flush()
        return json.loads(hub.stdout.readline())

def name(call, *arguments, **named):
    try:
        return call(*arguments, **named)
    except Exception as error:
        return type(error).__name__

with closed(Network(tell=tell, fetch=fetch, mode=os.environ.get("MODE", "hub"))):
    import huggingface_hub as h
    from huggingface_hub import hf_hub_download
    result = {}
    result["file"] = os.path.basename(name(hf_hub_download, "ann/tiny", "config.json"))
    result["again"] = os.path.basename(name(hf_hub_download, "ann/tiny", "config.json"))
    result["no file"] = name(hf_hub_download, "ann/tiny", "none.json")
    result["no repo"] = name(hf_hub_download, "ann/none", "none.json")
    result["gated"] = name(hf_hub_download, "ann/secret", "none.json")
    result["snapshot"] = sorted(os.listdir(name(h.snapshot_download, "ann/tiny")))
    result["sha"] = name(lambda: h.model_info("ann/tiny").sha)
    result["files"] = name(h.list_repo_files, "ann/tiny")
    result["exists"] = name(h.file_exists, "ann/tiny", "none.json")
    result["asked"] = name(lambda: [f.path for f in h.HfApi().get_paths_info("ann/tiny", ["config.json"])])
    result["read"] = name(lambda: h.HfFileSystem().read_text("ann/tiny/sub/words.txt"))
    if os.environ.get("TRANSFORMERS"):
        import transformers
        result["config"] = name(lambda: transformers.AutoConfig.from_pretrained("ann/tiny").hidden_size)
        result["push"] = type(name(transformers.BertConfig().push_to_hub, "me/bert")).__name__
    result["by hand"] = name(h.get_session().get, os.environ["HF_ENDPOINT"] + "/secret")
    result["upload"] = type(name(h.upload_file, path_or_fileobj=b"x", path_in_repo="a", repo_id="me/x")).__name__
    result["create"] = name(lambda: h.HfApi().create_repo("me/x", repo_type="dataset").repo_id)
    h.HfApi().create_repo("me/new")
    result["new"] = name(lambda: [h.model_info("me/new").id, h.list_repo_files("me/new")])
    later = h.HfApi().upload_folder(folder_path=".", repo_id="me/x", run_as_future=True)
    result["future"] = type(later.result()).__name__
    result["delete"] = name(h.delete_repo, "me/x")
    result["log in"] = name(h.login, token="hf_x")
assert not h.constants.HF_HUB_OFFLINE
print(json.dumps({"result": result, "told": told, "asked": asked, "same": h.hf_hub_download is hf_hub_download}))
"""
READ = {
    "file": "config.json",
    "again": "config.json",
    "no file": "RemoteEntryNotFoundError",
    "no repo": "RepositoryNotFoundError",
    "gated": "GatedRepoError",
    "snapshot": ["config.json", "sub"],
    "sha": "1" * 40,
    "files": ["config.json", "sub/words.txt"],
    "exists": False,
    "asked": ["config.json"],
    "read": "some words\n",
    "config": 32,
}
WRITTEN = {
    "push": "CommitInfo",
    "upload": "CommitInfo",
    "create": "me/x",
    "future": "CommitInfo",
    "delete": None,
    "log in": None,
    "new": ["me/new", []],
}
OFFLINE = dict.fromkeys(("no file", "no repo", "gated"), "LocalEntryNotFoundError") | dict.fromkeys(
    ("sha", "files", "exists", "asked", "read"), "OfflineModeIsEnabled"
)


def hub(world, home, kind, **environment):
    environment = {
        **os.environ,
        "KIND": kind,
        "HF_HOME": str(home),
        "HF_ENDPOINT": f"http://127.0.0.1:{world.http}",
        "PYTHONPATH": str(HERE.parents[1] / "src"),
        "TRANSFORMERS": "1",
        **environment,
    }
    program = home / "program.py"
    home.mkdir(exist_ok=True)
    program.write_text(HUB)
    run = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("kind", ["living", "isolated"])
def test_the_hub_is_read_and_not_written(kind, world, tmp_path):
    pytest.importorskip("huggingface_hub", minversion="1")
    pytest.importorskip("transformers")
    before = len(world.arrived())
    got = hub(world, tmp_path / "home", kind)
    arrived = world.arrived()[before:]
    assert {key: got["result"][key] for key in READ} == READ
    assert {key: got["result"][key] for key in WRITTEN} == WRITTEN
    assert all(line.startswith(("GET", "HEAD")) or "/paths-info/" in line for line in arrived)
    assert not any("secret" in line and "ann" not in line for line in arrived)
    assert sum("/resolve/main/config.json" in line for line in arrived if line.startswith("GET")) == 1
    actions = [action for _, action, line in got["told"] if line]
    for wanted in ("upload_file", "create_repo", "upload_folder", "delete_repo", "login", "create_commit"):
        assert wanted in actions
    assert bool(got["asked"]) == (kind == "isolated")
    assert got["same"]

    before = len(world.arrived())
    got = hub(world, tmp_path / "home", kind, MODE="offline")
    assert world.arrived()[before:] == []
    assert {key: got["result"][key] for key in OFFLINE} == OFFLINE
    assert {key: got["result"][key] for key in ("file", "config", "snapshot")} == {
        k: READ[k] for k in ("file", "config", "snapshot")
    }


@sweep(
    ("request_", "error"),
    [
        ({"hub": "delete_repo", "arguments": {"repo_id": "ann/tiny"}}, "ValueError"),
        (
            {"hub": "request", "arguments": {"method": "POST", "url": "https://huggingface.co/api/repos/create"}},
            "ValueError",
        ),
        ({"hub": "request", "arguments": {"method": "GET", "url": "https://evil.com/huggingface.co"}}, "ValueError"),
        ({"hub": "request", "arguments": {"method": "GET", "url": "https://huggingface.co@evil.com/"}}, "ValueError"),
        ({"hub": "request", "arguments": {"method": "GET", "url": "file:///etc/passwd"}}, "ValueError"),
        ({"hub": "torch_hub", "arguments": {"url": "file:///etc/passwd"}}, "ValueError"),
        ({"hub": "hf_hub_download", "arguments": "no"}, "ValueError"),
        ({"hub": ["x"]}, "ValueError"),
        ({}, "ValueError"),
    ],
)
def test_the_one_outside_only_reads(request_, error):
    from miscast.box.network.hub import answer

    assert answer(request_)["error"] == error


def test_entering_again_costs_little():
    pytest.importorskip("torch")
    enter(Network(tell=print))  # the first imports
    assert calls_of(lambda: enter(Network(tell=print))) < 30_000


def enter(network: Network) -> None:
    with closed(network):
        pass
