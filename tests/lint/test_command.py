"""The command line of lint: what it prints and writes, its exit codes, and what starting it costs."""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import miscast
from miscast.cli import main
from miscast.lint import fixing, lint
from miscast.report.reading import loads

BROKEN = """\
# precision
output_dir: o
per_device_train_batch_size: 1
fp16: true     # half
tf32: true  # fast
seed: 1
"""
TWO_ON_A_LINE = (
    '{"zero_optimization": {"stage": 2},\n'
    '"fp16": {"enabled": true, "loss_scale": true, "min_loss_scale": -1, "loss_scale_window": "x"}}\n'
)


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.yaml").write_text(BROKEN, encoding="utf-8")
    return tmp_path / "train.yaml"


def test_the_text(capsys):
    assert main(["lint", "--machine", "v100", "train.yaml"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(
        "error[tf32-not-on-machine]  tf32 is true, v100 has no TF32\n"
        "  train.yaml:5:7   tf32: true # fast\n"
        "  help    switch it off (safe)\n"
        "  effect  ValueError: --tf32 requires Ampere or a newer GPU arch, cuda>=11 and torch>=1.7\n\n"
        "effective precision  train.yaml\n"
        "                    model\n"
        "  parameters        unknown 1\n"
        "  compute           float16 2\n"
    )
    assert "  loss scaling      dynamic 2\n" in out
    assert "  2  train.yaml:4:7  fp16\n" in out
    assert out.endswith(
        "1 error · 1 configuration read, 0 other files skipped, on v100\n"
        "rules  miscast rules tf32-not-on-machine\n"
    )


@pytest.mark.parametrize("call", ["scandir", "open"])
def test_what_cannot_be_read_is_one_line_and_2(call, monkeypatch, capsys):
    """As where its mode is 000; root reads that."""
    os.mkdir("sub")
    Path("sub/train.yaml").write_text("fp16: true\n", encoding="utf-8")
    owner, named = (os, "./sub") if call == "scandir" else (builtins, "sub/train.yaml")
    real = getattr(owner, call)

    def refused(path, *args, **more):
        if str(path) in (named, named.removeprefix("./")):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *args, **more)

    monkeypatch.setattr(owner, call, refused)
    assert main(["lint", named]) == 2
    out, err = capsys.readouterr()
    assert err == f"miscast: {named}: Permission denied\n"
    assert "nothing found in the files read · 0 configurations read" in out
    assert "1 file could not be read" in " ".join(out.split())
    assert main(["lint"]) == 2
    assert "nothing found in the files read · 1 configuration read" in capsys.readouterr().out


def test_without_a_path_the_current_folder_is_read(capsys):
    assert main(["lint"]) == 0
    assert "nothing found · 1 configuration read" in capsys.readouterr().out


def test_the_json_is_that_of_check_with_columns_and_tables(capsys):
    assert main(["lint", "--machine", "v100", "--format", "json"]) == 1
    text = capsys.readouterr().out
    data = json.loads(text)
    (finding,) = data["findings"]
    assert (finding["location"]["file"], finding["location"]["line"], finding["location"]["column"]) == (
        "train.yaml",
        5,
        7,
    )
    (edit,) = finding["fixes"][0]["edits"]
    assert edit == {"file": "train.yaml", "start_line": 5, "end_line": 5, "replacement": "tf32: false  # fast"}
    cell = data["tables"][0]["components"]["model"]["autocast"]
    assert cell["value"] == "float16"
    assert cell["setting"] == {"key": "fp16", "file": "train.yaml", "line": 4, "column": 7, "value": "true"}
    assert data["files"] == {"read": 1, "skipped": 0, "broken": []}
    assert loads(text).findings[0].location.column == 7


def test_fix_keeps_comments_order_and_line_ends(config, capsys):
    config.write_bytes(("\ufeff" + BROKEN).replace("\n", "\r\n").encode())
    config.chmod(0o640)
    assert main(["lint", "--machine", "v100", "--fix"]) == 0
    wanted = "\ufeff" + BROKEN.replace("tf32: true", "tf32: false")
    assert config.read_bytes() == wanted.replace("\n", "\r\n").encode()
    assert config.stat().st_mode & 0o777 == 0o640
    assert "fixed 1 line of train.yaml" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
def test_fix_keeps_the_encoding(encoding, config):
    mark = "\ufeff" if encoding.startswith("utf-16") else ""
    config.write_bytes((mark + "# größer\n" + BROKEN).encode(encoding))
    assert main(["lint", "--machine", "v100", "--fix"]) == 0
    wanted = mark + "# größer\n" + BROKEN.replace("tf32: true", "tf32: false")
    assert config.read_bytes() == wanted.encode(encoding)


def test_a_fix_that_cannot_be_written_leaves_the_file_as_it_was(config, monkeypatch, capsys):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    before = config.read_bytes()
    assert main(["lint", "--machine", "v100", "--fix"]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert config.read_bytes() == before
    assert [file.name for file in config.parent.iterdir()] == ["train.yaml"]


def test_a_file_that_changed_meanwhile_is_refused_whole(config):
    (config.parent / "ds.json").write_text(TWO_ON_A_LINE, encoding="utf-8")
    outcome = lint([str(config), str(config.parent / "ds.json")], "v100")
    planned = fixing.safe(outcome.report.findings, outcome.runs)
    (fixes,) = (fixes for file, fixes in planned.items() if file.endswith("train.yaml"))
    for text in (BROKEN.replace("tf32: true  #", "tf32: true #"), "seed: 1\n", "", BROKEN.replace("tf32", "\ntf32")):
        config.write_text(text, encoding="utf-8")
        with pytest.raises(fixing.ChangedError, match=r"train\.yaml:5 has changed since it was read"):
            fixing.write(str(config), fixes)
        assert config.read_text(encoding="utf-8") == text
    config.write_text("# more\n".join(BROKEN.split("seed")), encoding="utf-8")
    assert fixing.write(str(config), fixes) == 1


@pytest.mark.parametrize("end", ["\n", "\r"])
def test_both_of_two_fixes_on_one_line_are_made(end, config, capsys):
    config.unlink()
    (config.parent / "ds.json").write_bytes(TWO_ON_A_LINE.replace("\n", end).encode())
    main(["lint", "--fix", "ds.json"])
    assert capsys.readouterr().err == "fixed 1 line of ds.json\n"
    wanted = TWO_ON_A_LINE.replace('scale": true', 'scale": 0').replace("-1", "1").replace('"x"', "1000")
    assert (config.parent / "ds.json").read_bytes() == wanted.replace("\n", end).encode()


def test_of_fixes_of_the_same_words_one_is_made_and_the_other_is_told():
    old = "a: 1, b: 2"
    one = fixing.LineFix(line=1, old=old, new="a: 1, b: 3")
    made = fixing.with_another(one, "a: 1, b: 4")
    assert (made.new, made.left) == ("a: 1, b: 3", 1)
    assert fixing.with_another(one, "a: 1, b: 3") == one
    assert fixing.with_another(one, "a: 15, b: 2").new == "a: 15, b: 3"


def test_a_file_that_is_read_only_stays_as_it_was(config, capsys):
    config.chmod(0o444)
    assert main(["lint", "--machine", "v100", "--fix"]) == 2
    assert "cannot write train.yaml: the file is read-only" in capsys.readouterr().err
    assert config.read_text(encoding="utf-8") == BROKEN


def test_a_file_that_cannot_be_written_keeps_no_other_from_being_fixed_and_told(config, capsys):
    config.chmod(0o444)
    (config.parent / "z.json").write_text(TWO_ON_A_LINE, encoding="utf-8")
    assert main(["lint", "--machine", "v100", "--fix"]) == 2
    out, err = capsys.readouterr()
    assert err == "miscast: cannot write train.yaml: the file is read-only\nfixed 1 line of z.json\n"
    assert "tf32-not-on-machine" in out


def test_a_comment_that_is_no_text_is_kept(config):
    config.write_bytes(b"# gr\xf6\xdfer\n" + BROKEN.encode())
    assert main(["lint", "--machine", "v100", "--fix"]) == 0
    assert config.read_bytes() == b"# gr\xf6\xdfer\n" + BROKEN.replace("tf32: true", "tf32: false").encode()


def test_a_fix_goes_through_a_link(config, tmp_path):
    real = tmp_path / "real.yaml"
    config.rename(real)
    config.symlink_to(real)
    assert main(["lint", "--machine", "v100", "--fix", "train.yaml"]) == 0
    assert config.is_symlink()
    assert "tf32: false" in real.read_text(encoding="utf-8")


def test_a_report_goes_to_a_file(capsys):
    assert main(["lint", "--machine", "v100", "--format", "json", "--output", "r.json"]) == 1
    assert capsys.readouterr().out == ""
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["machine"] == "v100"


def test_a_report_that_finds_no_room_leaves_the_one_before():
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
        "from miscast.cli import main; sys.exit(main(['lint', '--format', 'json', '--output', 'r.json', '.']))"
    )
    Path("r.json").write_text("before", encoding="utf-8")
    files = sorted(os.listdir())
    env = os.environ | {"PYTHONPATH": str(Path(miscast.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert "cannot write the report to r.json: File too large" in ran.stderr
    assert Path("r.json").read_text(encoding="utf-8") == "before"
    assert sorted(os.listdir()) == files


REFUSED = {
    "no such file": (["missing.yaml"], "missing.yaml: no such file or folder"),
    "an unknown machine": (["--machine", "v1000", "."], "unknown machine 'v1000': did you mean v100?"),
    "an unknown format": (["--format", "xml", "."], "unknown format 'xml': known formats are "),
    "no place for the report": (["--output", "no/where.json", "."], "cannot write the report to no/where.json"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_one_line_and_2(case, capsys):
    arguments, said = REFUSED[case]
    assert main(["lint", *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_a_rule_has_a_page(capsys):
    assert main(["rules", "tf32-not-on-machine"]) == 0
    assert "## Use instead" in capsys.readouterr().out


def test_what_takes_long_to_import_is_not():
    code = (
        "import sys; sys.modules['torch'] = None; from miscast.cli import main; code = main(['lint', '.'])\n"
        "print('\\n', *sys.modules); sys.exit(code)"
    )
    env = os.environ | {"PYTHONPATH": str(Path(miscast.__file__).parents[1])}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert not set(ran.stdout.rpartition("\n ")[2].split()) & {"numpy", "asyncio", "libcst"}
