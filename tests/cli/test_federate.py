"""understudy federate: certificates, keys, one process, and the refusals before a server or a site begins."""

import sys

import pytest

from understudy.cli.learning import Source
from understudy.table.infer import infer

SMALL = ["--set", "width=16", "--set", "depth=1", "--set", "draws=2", "--set", "sampling_steps=2"]
QUICK = ["--sites", "3", "--rounds", "2", "--local-steps", "2", *SMALL]


@pytest.fixture
def schema(folder):
    path = folder / "people.schema.json"
    infer(Source("people.csv").read()).declare().save(path)
    return path.name


def test_help_lists_what_can_be_done(call):
    done = call("federate")
    assert (done.code, done.err) == (0, "")
    for command in ("simulate", "server", "site", "certificate", "key"):
        assert f"\n  {command} " in done.out
        assert "--json" in call("federate", command, "--help").out
    assert "..." not in done.out.replace("[ARGS]...", "")


def test_a_simulation_makes_a_model_whose_certificate_states_its_condition(call, folder, schema):
    done = call("federate", "simulate", "people.csv", "--by", "sex", *QUICK[2:], "--sites", "2",
                "--rate", "0.2", "--epsilon", "2", "--schema", schema, "-o", "model", "--json")  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert done.json["status"] == "conditional"
    assert "split into sites" in done.json["conditions"][0]
    assert done.json["epsilon"] <= 2.0
    assert set(done.json["sites"]) == {"site-001", "site-002"}
    verified = call("verify", "model")
    assert verified.code == 0, verified
    assert call("sample", "model", "-o", "out.csv", "--rows", "5").code == 0
    assert (folder / "out.csv").exists()


def test_a_simulation_says_its_condition_in_words_and_one_of_one_site_has_none(call, schema):
    private = ["--epsilon", "2", "--schema", schema, "--rate", "0.2"]
    done = call("federate", "simulate", "people.csv", *QUICK, *private, "-o", "model")
    assert (done.code, done.err) == (0, "")
    assert "condition" in done.out and "one row more or less leaves all other rows at their sites" in done.out
    done = call("federate", "simulate", "people.csv", *QUICK[2:], "--sites", "1", *private,
                "-o", "alone", "--json")  # fmt: skip
    assert done.json["status"] == "sound" and done.json["conditions"] == []


def test_a_simulation_without_a_budget_says_so(call):
    done = call("federate", "simulate", "people.csv", *QUICK, "--strategy", "fedadam", "-o", "model")
    assert (done.code, done.err) == (0, "")
    assert "3: site-001, site-002, site-003" in done.out
    assert "no privacy guarantee" in done.out


def test_certificates_and_keys_are_made_and_never_replaced(call, folder):
    done = call("federate", "certificate", "--host", "fed.example.org", "-o", "tls", "--json")
    assert sorted(path.name for path in (folder / "tls").iterdir()) == [
        "ca.key",
        "ca.pem",
        "server.key",
        "server.pem",
    ]
    assert len(done.json["files"]) == 4
    assert "for its owner alone" in call("federate", "key", "-o", "a").out
    again = call("federate", "key", "-o", "a")
    assert again.code == 2 and "there already" in again.err


SERVER = ["federate", "server", "--run", "run", "-o", "model"]
SIMULATE = ["federate", "simulate", "people.csv", "-o", "model"]
SITE = ["federate", "site", "people.csv", "--run", "run"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([*SERVER, "--schema", "s.json", "--listen", "0.0.0.0:8443"], "plaintext"),
        ([*SERVER, "--schema", "s.json", "--listen", "here"], "HOST:PORT"),
        ([*SERVER, "--schema", "s.json", "--listen", "0.0.0.0:8443", "--ca", "tls/ca.pem"], "all of --ca"),
        ([*SERVER, "--schema", "s.json", "--listen", "0.0.0.0:8443", "--ca", "tls/ca.pem", "--certificate",
          "tls/server.pem", "--key", "tls/server.key"], "--site NAME=FILE"),
        ([*SERVER, "--schema", "s.json", "--site", "a"], "NAME=FILE"),
        ([*SERVER, "--schema", "absent.json"], "absent.json"),
        ([*SERVER, "--schema", "people.schema.json", "--term", "clip"], "KEY=VALUE"),
        ([*SERVER, "--schema", "people.schema.json", "--strategy", "best"], "strategy must be"),
        ([*SERVER, "--schema", "people.schema.json", "--method", "nonsense"], "nonsense"),
        ([*SERVER, "--schema", "people.schema.json", "--deadline", "nan"], "--deadline"),
        ([*SERVER, "--schema", "people.schema.json", "--deadline", "0"], "--deadline"),
        ([*SERVER, "--schema", "people.schema.json", "--patience", "-1"], "--patience"),
        ([*SERVER, "--schema", "people.schema.json", "--term", "least_answers=3"], "at least 3 sites"),
        ([*SERVER, "--schema", "people.schema.json", "--run", "people.csv"], "--run"),
        (SERVER, "--schema"),
        ([*SITE, "--server", "10.0.0.5:8443", "--budget", "1"], "plaintext"),
        ([*SITE, "--server", "10.0.0.5:8443", "--budget", "1", "--ca", "tls/ca.pem"], "--key"),
        ([*SITE, "--server", "127.0.0.1:8443"], "--budget"),
        ([*SITE, "--server", "127.0.0.1:8443", "--budget", "1", "--without-budget"], "either"),
        ([*SITE, "--server", "127.0.0.1:8443", "--budget", "0"], "epsilon"),
        ([*SITE, "--server", "127.0.0.1:8443", "--budget", "1", "--patience", "nan"], "--patience"),
        ([*SITE, "--server", "127.0.0.1:8443", "--budget", "1", "--name", "b\u00fccher"], "--name"),
        ([*SITE[:3], "--run", "people.csv", "--server", "127.0.0.1:8443", "--budget", "1"], "--run"),
        ([*SITE, "--budget", "1"], "--server"),
        ([*SIMULATE, "--alpha", "1"], "--by"),
        ([*SIMULATE, "--by", "height"], "'height'"),
        ([*SIMULATE, "--term", "least_answers=6"], "at least 6 sites"),
        ([*SIMULATE, "--epsilon", "1", "--term", "batch=10"], "--public-rows"),
        ([*SIMULATE, "--epsilon", "1", "--term", "weights=declared"], "--public-rows"),
        ([*SIMULATE, "--method", "copy"], "copy"),
        ([*SIMULATE, "--set", "steps=77"], "steps follows from the terms"),
        ([*SIMULATE, "--method", "mst", "--strategy", "fedadam"], "the term strategy has no part"),
        ([*SERVER, "--schema", "people.schema.json", "--without-budget", "--rate", "0.5"], "the term rate"),
        (["federate", "certificate", "-o", "x", "--host", "10.0.0"], "no IP address"),
        (["federate", "certificate", "-o", "x", "--host", ""], "neither a host name"),
        (["federate", "certificate", "-o", "people.csv"], "expected a folder"),
        (["federate", "key", "-o", "people.csv"], "expected a folder"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_before_it_begins(call, folder, schema, words, why):  # noqa: ARG001 - fixtures that write files
    call("federate", "certificate", "-o", "tls")
    done = call(*words)
    assert done.code == 2, done
    assert why in done.err
    assert done.err.count("\n") == 1
    assert not (folder / "run").exists() and not (folder / "model").exists()


def test_a_server_that_is_not_there_is_a_failure_and_nothing_is_spent(call, folder):
    call("federate", "certificate", "-o", "tls")
    done = call(*SITE, "--server", "127.0.0.1:1", "--budget", "1", "--ca", "tls/ca.pem", "--patience", "0")
    assert done.code == 1 and "no server at 127.0.0.1:1" in done.err
    assert not (folder / "run" / "certificate.json").exists()


def test_a_site_meets_its_server_before_it_reads_a_row(call, folder):
    (folder / "people.csv").write_text("a,b\n1\n1,2,3\n")
    done = call(*SITE, "--server", "127.0.0.1:1", "--budget", "1", "--patience", "0")
    assert done.code == 1 and "no server at 127.0.0.1:1" in done.err


def test_rows_of_simulated_sites_are_public_where_that_is_said_and_the_certificate_says_it_too(call, schema):
    done = call("federate", "simulate", "people.csv", *QUICK, "--term", "batch=10", "--public-rows",
                "--epsilon", "2", "--schema", schema, "-o", "model", "--json")  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert "how many rows each site has is public" in done.json["conditions"][0]


def test_without_flower_the_line_that_installs_it_is_said(call, monkeypatch):
    monkeypatch.setattr("understudy.federated.flower_extra.find_spec", lambda _: None)
    done = call(*SITE, "--server", "127.0.0.1:8443", "--budget", "1")
    assert done.code == 2 and 'pip install "understudy[federated]"' in done.err


@pytest.mark.parametrize(
    "words", ["simulate people.csv -o model", "server --schema people.schema.json --run run -o model"]
)
def test_networks_without_torch_are_refused_with_the_line_that_installs_it(call, schema, monkeypatch, words):  # noqa: ARG001 - a file
    monkeypatch.setattr("understudy.model.torch_extra.find_spec", {}.get)
    done = call("federate", *words.split())
    assert done.code == 2 and 'torch is not installed; run: pip install "understudy[neural]"' in done.err


def test_a_tree_federates_without_torch(folder, schema):
    import subprocess

    simulate = ["federate", "simulate", "people.csv", "--sites", "2", "--method", "mst", "--set", "steps=20"]
    commands = [[*simulate, "-o", "open"], [*simulate, "--schema", schema, "--epsilon", "1", "-o", "private"]]
    code = (
        "import sys; import understudy.federated.deployment; from understudy.cli.run import run; "
        f"codes = [run(words) for words in {commands!r}]; "
        "sys.exit(any(codes) or 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "open").exists() and (folder / "private").exists()


def test_help_loads_neither_flower_nor_torch():
    import subprocess

    code = (
        "import sys; from understudy.cli.run import run; run(['federate', 'server', '--help']); "
        "sys.exit(any(name in sys.modules for name in ('flwr', 'torch', 'grpc')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_a_site_and_a_simulation_read_csv_files_as_said(call, folder):
    text = (folder / "people.csv").read_text(encoding="utf-8")
    (folder / "people.csv").write_text(text.replace(",", ";"), encoding="latin-1")
    odd = ["--delimiter", ";", "--encoding", "latin-1", "--missing", "NA"]
    done = call("federate", "simulate", "people.csv", *QUICK, *odd, "-o", "model")
    assert (done.code, done.err) == (0, "")
    shown = call("federate", "site", "--help").out
    assert all(flag in shown for flag in odd[::2])
