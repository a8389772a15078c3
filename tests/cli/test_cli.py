"""The command line: what it prints, on which stream, and with which exit code. No torch where none is needed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import miscast
from command import SOURCE, STAND_INS, miscast_in
from miscast.cli import main
from miscast.commands import known
from miscast.commands.check import SHOWN
from miscast.core.machines import known as machines
from miscast.judging.rules import known as rules
from miscast.lint.rules import known as of_settings
from miscast.report import formats
from miscast.report.rule_page import of_losses
from sweep import sweep


def run(*args, cwd=None):
    return miscast_in(cwd, *args)


@pytest.fixture
def program(tmp_path):
    """Writes a program, and says where."""

    def write(source: str) -> Path:
        file = tmp_path / "program.py"
        file.write_text(source, encoding="utf-8")
        return file

    return write


MIXED = """\
import sys
import torch
print("to stdout", sys.argv[1:])
linear = torch.nn.Linear(4, 4)
linear(torch.ones(2, 4, dtype=torch.float16))
"""
PROGRAMS = sorted(Path(__file__).parents[1].glob("programs/*/*.told"))
CLEAN = "import torch\ntorch.nn.Linear(4, 4)(torch.ones(2, 4))\n"

REFUSED = {
    "an option and no command": (["--verbose"], "unknown option '--verbose': a command comes first; see 'miscast "),
    "a command misspelled": (["chek", "x.py"], "unknown command 'chek' (did you mean check?); see 'miscast --help'"),
    "a command unlike any": (["refusal"], "unknown command 'refusal'; see 'miscast --help'"),
    "an option misspelled": (
        ["check", "--machnie", "v100", "x.py"],
        "unknown option --machnie (did you mean --machine?); see 'miscast check --help'",
    ),
    "an option of a group misspelled": (["check", "--baselin=x", "x.py"], "--baselin=x (did you mean --baseline?)"),
    "a kind of machine": (["check", "--machine", "gpu", "x.py"], "use a100, h100, rtx4090 or t4; 'miscast"),
    "a device": (["lint", "--machine", "cuda:0"], "machine 'cuda:0' is a kind of machine: use a100"),
    "an option that fix has not": (["check", "--fix", "--also", "x", "x.py"], ("--also cannot be used with "
        "--fix or --diff")),
    "no target": (["check"], ("no program given: expected script.py, -m module, or package.module:function; "
        "see 'miscast check")),
    "a target without a name": (["check", ""], ("no program given: expected script.py, -m module, or "
        "package.module:function; see")),
    "a file without a name": (["explain", ""], "argument FILE: the value is empty; see 'miscast explain --help'"),
    "a path without a name": (["lint", ""], "argument PATH: the value is empty; see 'miscast lint --help'"),
    "a report without a name": (["check", "--output", "", "x.py"], "argument --output: the value is empty"),
    "a machine without a name": (["plan", "--machine", "", "x.py"], "argument --machine: the value is empty"),
    "no arguments to add": (["check", "--also", "", "x.py"], "argument --also: the value is empty"),
    "a quote that is not closed": (["check", "--also", "'", "x.py"], "argument --also: \"'\": No closing quotation"),
    "no such folder to fix": (["fix", "--edit", "no/where", "x.py"], "--edit: no/where: no such file or folder"),
    "less than nothing": (["check", "--reach", "-1", "x.py"], "expected a number (0 or more), got '-1'"),
    "an option in place of a command": (["--versio"], "unknown option '--versio' (did you mean --version?)"),
    "a message without quotes": (["explain", "mat1", "and", "mat2"], "unexpected argument 'and'; see 'miscast explain"),
    "a launcher that would start others": (["run", "torchrun", "x.py"], "run 'torchrun … -m miscast run train.py'"),
    "a file and a function": (["check", "x.py:main"], "x.py:main: no such file; a function is package.module:function"),
    "no batches": (["check", "--batches", "0", "x.py"], ("argument --batches: expected a number of batches (1 "
        "or more), got '0'")),
    "a format of its own": (["check", "--format", "xml", "x.py"], "unknown format 'xml': known formats are "),
    "no such folder": (["check", "--output", "no/where.json", "x.py"], "cannot write the report to no/where.json"),
    "no such file": (["check", "missing.py"], "missing.py: no such file"),
    "an unknown rule": (["rules", "operand-dtype-mismach"], "did you mean operand-dtype-mismatch?"),
    "an unknown option": (["check", "--qqq", "x.py"], "unknown option --qqq; see 'miscast check --help'"),
}


@sweep("case", REFUSED)
def test_what_cannot_be_done_is_one_line_and_2(case, capsys):
    args, said = REFUSED[case]
    assert main(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("miscast: ")
    assert said in err


INPUTS = [
    ["check", "--output", "x.py", "x.py"],
    ["fix", "--output", "./x.py", "x.py"],
    ["run", "--guard", "--flight", "x.py", "x.py"],
    ["run", "--shadow", "--html", "x.py", "x.py"],
    ["explain", "--output", "x.py", "x.py"],
    ["lint", "--output", "ds.json"],
    ["lint", "--write-baseline", "ds.json", "ds.json"],
]


@pytest.mark.parametrize("args", INPUTS, ids=" ".join)
def test_what_is_read_is_not_overwritten(args, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files = {"x.py": CLEAN, "ds.json": '{"fp16": {"enabled": true}}'}
    for name, text in files.items():
        Path(name).write_text(text)
    assert main(args) == 2
    assert capsys.readouterr().err.endswith(": this file is read, and would be overwritten\n")
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == files


def test_an_unknown_machine_lists_the_known_ones(capsys):
    assert main(["check", "--machine", "v10", "x.py"]) == 2
    err = capsys.readouterr().err
    assert "did you mean v100?" in err
    assert all(machine.name in err for machine in machines())


def test_help_shows_every_format(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["check", "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert all(name in out for name in formats())
    assert "error[operand-dtype-mismatch]" in out


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"miscast {miscast.__version__}\n"


def test_rules(capsys):
    assert main(["rules"]) == 0
    out = capsys.readouterr().out
    names = [line.split()[0] for line in out.splitlines()]
    assert len(names) == len(set(names))
    first = [rule.name for rule in (*rules(), *of_settings())]
    assert names == [*first, *sorted(of_losses().difference(first))]


def test_pages_are_there_without_docstrings(capsys):
    assert main(["rules", "scaler-misused"]) == 0
    command = [sys.executable, "-OO", "-m", "miscast", "rules", "scaler-misused"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": SOURCE})
    assert (ran.returncode, ran.stdout) == (0, capsys.readouterr().out)


@pytest.mark.parametrize("args", [["rules", "row-masked-whole"], ["explain", "mat1 and mat2 must have the same dtype"]])
def test_what_stdout_cannot_encode_is_replaced(args):
    command = [sys.executable, "-m", "miscast", *args]
    env = os.environ | {"PYTHONPATH": SOURCE, "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert ran.stderr == ""
    assert "?" in ran.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="writes to /dev/full")
def test_a_full_disk_is_named():
    command = [sys.executable, "-m", "miscast", "machines"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        env = os.environ | {"PYTHONPATH": SOURCE}
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=env)
    assert (ran.returncode, ran.stderr) == (2, "miscast: cannot write: No space left on device\n")


def test_rules_as_json_have_what_their_findings_have(capsys):
    assert main(["rules", "--format", "json"]) == 0
    told = {one["id"]: one for one in json.loads(capsys.readouterr().out)}
    assert told.keys() == {rule.name for rule in (*rules(), *of_settings())} | of_losses()
    assert {name for name, one in told.items() if one["strict"]} == {rule.name for rule in rules() if rule.strict}
    order, seen = ("error", "warning", "hint"), "\n".join(file.read_text("utf-8") for file in PROGRAMS)
    found = set(re.findall(r"(?m)^(?:\d+ )?(error|warning|hint)\[([\w-]+)\]", seen))
    assert len(found) > 15
    assert [one for one in found if order.index(told[one[1]]["severity"]) > order.index(one[0])] == []
    fixable = {name: one["fixable"] for name, one in told.items()}
    assert fixable["operand-dtype-mismatch"]
    assert fixable["tf32-not-on-machine"]
    assert not fixable["replicas-differ"]
    assert not fixable["machine-refused"]


def test_several_rules_have_their_pages_one_after_the_other(capsys):
    assert main(["rules", "nan-appears", "tf32-not-on-machine"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("nan-appears\n\n")
    assert "\n\n\ntf32-not-on-machine\n\n" in out


@sweep("rule", rules(), ids=lambda rule: rule.name)
def test_a_rule_has_a_page(rule, capsys):
    assert main(["rules", rule.name]) == 0
    assert capsys.readouterr().out == f"{rule.name}\n\n{rule.page}\n"


def test_an_id_that_a_rule_had_before_has_its_page(capsys):
    assert main(["rules", "spread-of-one"]) == 0
    assert capsys.readouterr().out.startswith("nan-appears\n")


def test_machines(capsys):
    assert main(["machines"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == [machine.name for machine in machines()]


def test_findings_are_1_and_the_rest_of_the_line_is_the_program_s(program):
    ran = run("check", "--machine", "cpu", program(MIXED), "--size", "x", "--", "-m")
    assert ran.returncode == 1, ran.stderr
    assert "to stdout ['--size', 'x', '--', '-m']" in ran.stdout
    assert "error[operand-dtype-mismatch]  linear mixes float16 `input` with float32 `weight`" in ran.stdout
    assert ran.stderr == ""
    assert "\x1b" not in ran.stdout


def test_what_the_program_prints_in_a_pipe_is_said_to_be_made_of_stand_ins_and_torch_warns_of_its_lines_alone(program):
    file = program(
        "import sys, torch\nsys.stderr.write('begun\\n')\n"
        "torch.ones(2, 3, 4).T\n"
        "torch.tensor(torch.ones(2, dtype=torch.complex64).to(torch.float32))\n"
        "(torch.ones(2, requires_grad=True) * 2).grad\n"
        "torch.add(torch.ones(2), torch.ones(2), out=torch.ones(3))\n"
    )
    options = ("check", "--machine", "cpu", "--reach", "0")
    first, begun, *warned = miscast_in(None, *options, file, whole=True).stderr.splitlines()
    assert (f"{first}\n", begun) == (STAND_INS, "begun")
    places = [line.partition(": UserWarning")[0] for line in warned if "UserWarning" in line]
    assert places == [f"{file}:3", f"{file}:6"]
    assert miscast_in(None, *options, "--quiet-program", file, whole=True).stderr == ""


def test_nothing_found_is_0(program):
    ran = run("check", program(CLEAN))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("nothing found")


def test_json_stands_alone_on_stdout(program):
    noisy = MIXED + (
        "import atexit, os, subprocess\n"
        "atexit.register(print, 'at exit')\n"
        "os.write(1, b'raw')\n"
        "subprocess.run(['echo', 'child'])\n"
    )
    ran = run("check", "--format", "json", program(noisy))
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["findings"][0]["rule"] == "operand-dtype-mismatch"
    for noise in ("to stdout", "raw", "child", "at exit"):
        assert noise in ran.stderr


@pytest.mark.parametrize("line", ["sys.stdout.close()", "sys.stdout = None", "os.close(1)"])
def test_a_program_may_do_what_it_likes_to_stdout(program, line):
    ran = run("check", "--format", "json", program(f"import os\n{MIXED}{line}\n"))
    assert ran.returncode == 1, ran.stderr
    assert json.loads(ran.stdout)["schema"] == 1


def test_output_goes_to_a_file(program, tmp_path):
    file = tmp_path / "report.json"
    ran = run("check", "--format", "json", "--output", file, program(MIXED))
    assert ran.returncode == 1
    assert ran.stdout.startswith("to stdout")
    assert "findings" not in ran.stdout
    assert json.loads(file.read_text(encoding="utf-8"))["machine"] == "a100"


def test_a_program_that_fails_with_nothing_found_is_2(program):
    ran = run("check", program("import torch\nraise ValueError('no data')\n"))
    assert ran.returncode == 2
    assert ran.stderr.startswith("miscast: not finished: the program raised ValueError: no data")
    assert len(ran.stderr.splitlines()) == 1
    assert ran.stdout.startswith("not finished: the program raised ValueError: no data")


def test_a_program_that_fails_after_a_mistake_is_1(program):
    ran = run("check", program(MIXED + "raise ValueError('no data')\n"))
    assert ran.returncode == 1
    assert "operand-dtype-mismatch" in ran.stdout
    assert "the program raised ValueError: no data" in ran.stdout


def test_a_module(program):
    ran = run("check", "--machine", "cpu", "-m", "program", "--lr", "1", cwd=program(MIXED).parent)
    assert ran.returncode == 1, ran.stderr
    assert "to stdout ['--lr', '1']" in ran.stdout


def test_a_function(program):
    file = program(CLEAN + "def main():\n    torch.nn.Linear(2, 2)(torch.ones(1, 2).half())\n")
    ran = run("check", "program:main", cwd=file.parent)
    assert ran.returncode == 1, ran.stderr


@pytest.mark.parametrize("command", [["check"], ["fix"], ["check", "--ranks", "2"], ["check", "torchrun"]])
def test_where_torch_cannot_be_imported_one_line_says_so(command, program, tmp_path):
    (tmp_path / "broken" / "torch").mkdir(parents=True)
    (tmp_path / "broken" / "torch" / "__init__.py").write_text("raise ImportError('libtorch_cpu.so: not there')\n")
    path = f"{tmp_path / 'broken'}{os.pathsep}{SOURCE}"
    done = miscast_in(None, *command, program(MIXED), cold=True, PYTHONPATH=path)
    told = "miscast: torch, which is needed to run a program, cannot be imported: libtorch_cpu.so: not there\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


def test_a_command_imports_no_other():
    code = (
        "import sys; from miscast.cli import main; main(['machines']); "
        "print(sorted(name for name in sys.modules if name.startswith('miscast.commands.')), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True
    )
    needed = [f"miscast.commands.{name}" for name in ("listing", "machines", "program", "refusal")]
    assert ran.stderr == f"{needed}\n"


@pytest.mark.parametrize("name", ["program", "refusal", "mach", ""])
def test_another_word_is_no_command(name, capsys):
    assert main([name]) == 2
    assert f"unknown command '{name}'" in capsys.readouterr().err


def test_no_word_at_all_prints_the_help(capsys):
    assert main([]) == 0
    out = capsys.readouterr().out
    listed = {line.split()[0] for line in out.splitlines() if line[:4] == "    " and line[4:5].strip()}
    assert {one.name for one in known()} == listed
    assert "on a CPU" not in out


def test_the_options_that_are_used_most_come_first(capsys):
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    first, _, rest = capsys.readouterr().out.partition("\nadvanced:\n")
    lines = first.partition("\noptions:")[2].splitlines()
    shown = [line.split()[0].rstrip(",") for line in lines if line[:4] == "  --"]
    assert sorted(shown) == sorted(SHOWN)
    assert len(shown) == 9
    assert "--baseline FILE" in rest


@pytest.mark.parametrize(("option", "written"), [("--fix", True), ("--diff", False)])
def test_check_takes_what_a_linter_s_users_type(option, written, monkeypatch):
    """Then `fix` gets all that it asks its own command line for."""
    got = []
    monkeypatch.setattr("miscast.commands.fix.run", lambda options: got.append(vars(options)) or 1)
    assert main(["fix", "--machine", "v100", "x.py", "--lr", "1"]) == 1
    assert main(["check", option, "--machine", "v100", "x.py", "--lr", "1"]) == 1
    of_fix, of_check = got
    assert of_check["apply"] is written
    same = of_fix.keys() - {"run", "apply", "invoked"}
    assert {name: of_check[name] for name in same} == {name: of_fix[name] for name in same}


def test_options_behind_the_target_are_the_program_s_and_that_is_said_first(program):
    file = program(CLEAN.replace("import torch", "import sys, torch\nsys.stderr.write('begun ')"))
    err = run("check", "--machine", "cpu", file, "--machine", "v100", "--lr", "1", "--fix").stderr
    told = "miscast: {} is passed to " + str(file) + "; put Miscast's options before it\n"
    assert err.startswith(told.format("--machine v100") + told.format("--fix"))
    assert err.endswith("begun ")
    file.write_text(CLEAN + "# takes --machine\n", encoding="utf-8")
    assert run("check", "--machine", "cpu", file, "--machine", "v100").stderr == ""
