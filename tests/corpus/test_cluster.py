"""A cluster gives the figures of one process, with tokenizers that it lacks, whoever of it dies."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice

import pytest
from tokenarium.__main__ import main
from tokenarium.corpus import cluster as cluster_module
from tokenarium.corpus import plan as plan_module
from tokenarium.corpus import running as running_module
from tokenarium.corpus.cluster import connect_cluster
from tokenarium.corpus.counting import CorpusCounts, count_part, totals
from tokenarium.corpus.plan import Plan
from tokenarium.corpus.results import ResultCache
from tokenarium.corpus.running import Work, run
from tokenarium.corpus.sources import CorpusSource, SourcePart, parts, sources
from tokenarium.errors import Unavailable
from tokenarium.files.records import record_from_files
from tokenarium.lab.languages.declarations import declarations
from tokenarium.lab.tokenizers.saving import save
from tokenarium.settings import ROOT, Settings
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

pytestmark = pytest.mark.nightly
COMMON = {"cwd": ROOT, "stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
SETTINGS = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}


@contextmanager
def dask(folder, *, workers):
    """A scheduler and workers in processes of their own, with a cache and a working folder that nobody else has."""
    file = folder / "scheduler.json"
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    processes = [subprocess.Popen([*scheduler, "--no-dashboard", "--scheduler-file", file], env=SETTINGS, **COMMON)]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", file, "--nthreads", "1"]
    env = {**SETTINGS, "XDG_CACHE_HOME": str(folder / "cache"), "TOKENARIUM_LOCAL": str(folder / "local")}
    own = ["--no-nanny", "--no-dashboard", "--host", "127.0.0.1", "--local-directory", folder]
    processes += [subprocess.Popen([*worker, *own], env=env, **COMMON) for _ in range(workers)]
    try:
        deadline = time.monotonic() + 60
        while not (file.exists() and file.read_text()) and time.monotonic() < deadline:
            time.sleep(0.02)
        yield json.loads(file.read_text())["address"], processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def clusters():
    """What starts a cluster, and ends the last."""
    with ExitStack() as stack:
        yield stack, []


@pytest.fixture
def cluster(clusters, tmp_path_factory):
    """A cluster of three workers of which none has died: its address, its processes, and the folder of their cache."""
    stack, running = clusters
    if not running or any(process.poll() is not None for process in running[-1][1]):
        folder = tmp_path_factory.mktemp("dask")
        running.append((*stack.enter_context(dask(folder, workers=3)), folder / "cache"))
    return running[-1]


@pytest.fixture
def count(said, monkeypatch, tmp_path):
    """Count as users do, with a cache of its own, and give the status, the figures and the messages."""

    def count(*args, cache):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / cache))
        status, out, err = said("corpus", "count", "--json", *args)
        figures = json.loads(out or "{}")
        return status, figures | {"problems": sorted(figures.get("problems", []))}, err

    return count


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A folder with declarations of human rights, some bytes that are not UTF-8, and a damaged file."""
    folder = tmp_path_factory.mktemp("corpus")
    for code, one in [*declarations(Settings().store).items()][:12]:
        (folder / f"{code}.txt").write_text(one.text)
    (folder / "latin.txt").write_bytes("café\nfine\n".encode("latin-1"))
    (folder / "damaged.txt.gz").write_bytes(b"\x1f\x8b\x08 not gzip")
    return folder


def test_a_cluster_writes_the_shards_and_the_tokenizer_of_one_process(cluster, corpus, capfd, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def contents(place, *options):
        shards = ["tokenize", "-t", "gpt2", "--end", "eos", "--format", "megatron", "--shard-bytes", "1"]
        train = ["train", "--size", "400", "-o", f"{tmp_path}/{place}/my.json"]
        for command in ([*shards, "--out", f"{tmp_path}/{place}"], train):
            with pytest.raises(SystemExit):  # some of it cannot be read
                main(["corpus", *command, str(corpus), *options])
        files = [path for path in sorted((tmp_path / place).rglob("*")) if path.is_file()]
        return [(path.name, path.read_bytes()) for path in files]

    there = contents("there", "--on", cluster[0])
    assert len(there) == 2 * 13 + 2
    assert there == contents("here", "--workers", "1")


def test_one_process_a_pool_and_a_cluster_give_the_same_figures(count, cluster, corpus, monkeypatch):
    serial = CorpusCounts()
    plan = Plan(Settings(), ("gpt2", "bert-base-uncased"), by="script")
    for part in (part for one in sources([str(corpus)]) for part in parts(one)):
        serial += count_part(plan, part)
    options = [corpus, "-t", "gpt2,bert-base-uncased", "--by", "script"]
    pool = count(*options, "--workers", 1, cache="pool")
    monkeypatch.setattr(plan_module, "MIN_FAST", 0)  # there with faster engines, whose files the workers make
    there = count(*options, "--on", cluster[0], cache="there")
    for status, figures, err in (pool, there):
        assert (status, figures["unread"]) == (1, 1)
        assert "damaged.txt.gz cannot be read: " in err
        for id, tally in totals(serial).items():
            names = ("documents", "characters", "bytes", "tokens", "unknown", "fallback", "longest")
            assert {name: figures["total"][id][name] for name in names} == {
                name: getattr(tally, name) for name in names
            }
        assert set(figures["groups"]) == set(serial.groups)
    assert there[1]["groups"] == pool[1]["groups"]
    assert totals(serial)["gpt2"].documents > 900
    assert ".tiktoken" in {path.suffix for path in cluster[2].rglob("engines/*")}


def test_tokenizers_that_the_cluster_lacks_travel(count, cluster, corpus, tmp_path, monkeypatch):
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, show_progress=False, initial_alphabet=alphabet)
    library.train_from_iterator(["All human beings are born free and equal. " * 50], trainer)
    file = library.to_str().encode()
    folders = [tmp_path / "Mine", tmp_path / "models--org--Mine" / "snapshots" / "0"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "tokenizer.json").write_bytes(file)
    monkeypatch.setenv("TOKENARIUM_MODELS", ",".join(map(str, folders)))
    monkeypatch.setenv("TOKENARIUM_LOCAL", str(tmp_path / "kept"))
    (tmp_path / "kept").mkdir()
    save(Settings.from_env(), record_from_files("added", {"tokenizer.json": file}), private=False)
    options = [corpus, "-t", "Mine,org/Mine,added", "--invalid", "replace"]
    here, there = count(*options, cache="here"), count(*options, "--on", cluster[0], cache="there")
    assert there[1]["total"] == here[1]["total"]
    tokens = [here[1]["total"][id]["tokens"] for id in ("Mine", "org/Mine", "added")]
    assert tokens == tokens[:1] * 3
    assert tokens[0] > 50_000
    assert {path.name for path in cluster[2].rglob("sent/*/*")} >= {"models", "local", "ready"}


def slow(folder, part):
    time.sleep(0.05)
    with open(folder / "log", "a") as log:
        log.write(f"{part.start}\n")
    return part.start**2


def dies(part):
    os.kill(os.getpid(), signal.SIGKILL)


def work(do):
    return Work(do, "x", lambda n: b"%d" % n, int, lambda n: n >= 0, lambda part, error: -1)


PARTS = [SourcePart(CorpusSource("a.txt", "lines", 100, "1"), start, start + 1) for start in range(60)]


def test_what_is_done_is_kept_whoever_dies(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(running_module, "CHECK_SECONDS", 0.1)
    address, (scheduler, *workers), _ = cluster
    kept, noted = ResultCache(tmp_path / "kept"), work(partial(slow, tmp_path))
    with connect_cluster(address, {}) as (pool, number):
        assert number == 3
        results = {}
        for part, result in run(noted, PARTS[:20], pool, saved=kept):
            if not results:
                workers[0].kill()
            results[part.start] = result
        assert results == {start: start**2 for start in range(20)}
        assert kept.measure().parts == 20
        stopped = run(noted, PARTS, pool, saved=kept)
        assert len([*islice(stopped, 30)]) == 30
        assert [result for _, result in run(work(dies), PARTS[:1], pool)] == [-1]  # with both workers that were left
        monkeypatch.setattr(cluster_module, "IDLE_SECONDS", 0.5)
        with pytest.raises(Unavailable, match=r"The cluster has had no workers for .* s\. What is done is kept\."):
            list(run(noted, PARTS, pool))
        monkeypatch.setattr(cluster_module, "IDLE_SECONDS", 60.0)
        scheduler.kill()
        with pytest.raises(Unavailable, match=r"to the cluster's scheduler is lost.* What is done is kept\."):
            list(stopped)
    before = kept.measure().parts
    assert 30 <= before < 60
    log = len((tmp_path / "log").read_text().split())
    with ThreadPoolExecutor(2) as threads:
        again = {part.start: result for part, result in run(noted, PARTS, threads, saved=kept)}
    assert again == {start: start**2 for start in range(60)}
    assert len((tmp_path / "log").read_text().split()) - log == 60 - before


def test_workers_of_another_version_are_refused_and_the_cluster_stays_as_it_was(cluster, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(cluster_module, "__version__", "0.0")
        with (
            pytest.raises(Unavailable, match=r"this is tokenarium 0\.0, and that of the worker is \d"),
            connect_cluster(cluster[0], {}),
        ):
            pass
    with connect_cluster(cluster[0], {}) as (pool, _):
        client = pool._client
        assert not [name for name in client.run_on_scheduler(read_plugins) if name.startswith("tokenarium-0.0")]
        assert pool.submit(pow, 3, 2).result(60) == 9


def read_plugins(dask_scheduler):
    return [*dask_scheduler.worker_plugins]


def test_a_cluster_that_cannot_be_used_is_said(count, monkeypatch, corpus):
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    for wrong in (address, "nowhere"):
        status, _, err = count(corpus, "-t", "bytes", "--on", wrong, cache="none")
        assert status == 1
        assert f"There is no Dask scheduler at {wrong}: " in err
    status, _, err = count("-", "-t", "bytes", "--on", address, cache="none")
    assert "A cluster cannot read the standard input of this machine" in err
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "tokenarium.corpus.cluster")
    status, _, err = count(corpus, "-t", "bytes", "--on", address, cache="none")
    assert "distributed is not installed; pip install 'tokenarium[corpus]' brings it." in err
