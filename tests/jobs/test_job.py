"""Jobs: processes of their own that end in a result or in nothing, however they end."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tokenarium import machine
from tokenarium.atomic_files import hash_owner
from tokenarium.errors import NotFinished, Overloaded, Unavailable, UnknownJob
from tokenarium.jobs.atomic_store import OWNER
from tokenarium.jobs.events import EVENTS, LOCK, RESULT, EventLog, EventReader
from tokenarium.jobs.job import Job, Jobs, _inheritable_lock
from tokenarium.lab.train.corpora import TrainingSpec
from tokenarium.lab.train.options import TrainingOptions
from tokenarium.lab.train.saving import load_result
from tokenarium.settings import ROOT, Settings

from tests.support.corpora import ENGLISH, long_text


@pytest.fixture
def settings(tmp_path):
    return Settings(local=tmp_path / "local")


@pytest.fixture
def jobs(settings):
    made = Jobs(settings)
    yield made
    for job in made.all():
        made.cancel(job.id)


def order(settings, text=ENGLISH, **options):
    options = TrainingOptions(baseline="bytes", **options)  # which takes no time to load
    return TrainingSpec(texts=(text,), options=options, corpus="a text", settings=settings)


def ended(job):
    """Its state, once it does not run any more; the time limit of the test ends one that never does."""
    while job.running:
        time.sleep(0.02)
    return job.state()


def learning(job):
    """Wait until it has told something."""
    while not job.events():
        assert job.running
        time.sleep(0.02)
    return job


def kinds(job):
    return [event["kind"] for event in job.events()]


@pytest.fixture
def held(settings):
    """A job as its folder shows it: its lock is held, and its log may be written."""
    folder = settings.local / ".jobs" / ("x" * 22)
    folder.mkdir(parents=True)
    with _inheritable_lock(folder / LOCK):
        log = EventLog(folder)
        yield log
        log.close()


def test_a_job_gives_its_place_back_with_its_last_event_and_the_next_ends_in_a_result(settings, held):
    """As its process, which holds the lock, has yet to end."""
    jobs = Jobs(settings, limit=1)
    held.write({"kind": "doing", "what": "Counting"})
    with pytest.raises(Overloaded, match="1 of 1 trainings are running"):
        jobs.start(order(settings))
    held.write({"kind": "finished"})
    job = jobs.start(order(settings, size=300))
    assert ended(job) == "finished"
    assert kinds(job)[0] == "started"
    assert kinds(job)[-1] == "finished"
    assert len(load_result(job).pieces) == 300
    assert jobs.cancel(job.id).state() == "finished"


def test_an_owner_gets_half_of_the_places_and_is_told_when_to_try_again(settings, held):
    jobs = Jobs(settings, limit=2)
    mine, other = (replace(order(settings, size=300), owner=f"192.0.2.{number}") for number in (1, 2))
    (running,) = jobs.all()
    (running.folder / OWNER).write_text(hash_owner(jobs.folder, mine.owner))
    begun = time.time() - 100
    os.utime(running.folder / LOCK, (begun, begun))
    with pytest.raises(Overloaded, match="1 of 1 trainings from this address are running") as refused:
        jobs.start(mine)
    assert 100 <= refused.value.retry_after <= 500  # as long as it has run, or what is left of ten minutes
    assert ended(jobs.start(other)) == "finished"


def test_results_above_the_quota_give_way_to_the_next_job(settings, held):
    jobs = Jobs(replace(settings, quota=1000))
    (old,) = jobs.all()
    (old.folder / RESULT).mkdir()
    (old.folder / RESULT / "tokenizer.json").write_bytes(bytes(1001))
    for kept, event in ((True, "doing"), (False, "finished")):
        held.write({"kind": event, "what": "Counting"})
        ended(jobs.start(order(settings, "no digits", pattern=r"\d+")))
        assert old.folder.exists() == kept


def test_the_system_kills_a_job_before_the_server(jobs, settings):
    job = learning(jobs.start(order(settings, long_text(), size=100_000)))
    scores = [int(Path(f"/proc/{pid}/oom_score_adj").read_text()) for pid in ("self", (job.folder / LOCK).read_text())]
    assert scores[0] < scores[1]


def test_another_server_over_the_same_store_sees_the_job_and_can_cancel_it(jobs, settings):
    job = learning(jobs.start(order(settings, long_text(), size=100_000)))
    other = Jobs(settings)
    assert other.get(job.id).state() == "running"
    assert other.cancel(job.id).state() == "cancelled"
    assert job.state() == "cancelled"
    with pytest.raises(NotFinished):
        load_result(job)


def test_kill_9_interrupts_and_leaves_no_result(jobs, settings):
    job = learning(jobs.start(order(settings, long_text(), size=100_000)))
    os.kill(int((job.folder / LOCK).read_text()), signal.SIGKILL)
    assert ended(job) == "interrupted"
    assert sorted(path.name for path in job.folder.iterdir()) == [EVENTS, LOCK]


def test_a_job_ends_with_the_server_that_began_it(settings):
    code = (
        "import sys, time; from pathlib import Path; from tokenarium.settings import Settings; "
        "from tokenarium.jobs.job import Jobs; from tokenarium.lab.train.corpora import TrainingSpec; "
        "from tokenarium.lab.train.options import TrainingOptions; from tests.support.corpora import long_text; "
        "s = Settings(local=Path(sys.argv[1])); options = TrainingOptions(size=100000); "
        "order = TrainingSpec(texts=(long_text(),), options=options, settings=s); "
        "j = Jobs(s).start(order); print(j.id, flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(settings.local)], cwd=ROOT, stdout=subprocess.PIPE
    ) as server:
        job = Jobs(settings).get(server.stdout.readline().decode().strip())
        learning(job)
        server.kill()
    assert ended(job) == "interrupted"
    assert not (job.folder / RESULT).exists()


def test_the_process_of_a_job_ends_well_while_the_server_holds_its_input_open(settings, tmp_path):
    command = [sys.executable, "-m", "tokenarium", "job", "train", tmp_path]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(order(settings, size=300).dump())
        process.stdin.flush()
        assert (process.wait(), process.stderr.read()) == (0, b"")


def test_a_job_ends_at_its_limit_of_time(jobs, settings):
    job = jobs.start(order(replace(settings, job_seconds=1), long_text(), size=100_000))
    assert ended(job) == "failed"
    problem = job.events()[-1]
    assert (problem["code"], problem["limit"]) == ("over-limit", 1)


def test_a_job_ends_at_its_limit_of_memory(jobs, settings):
    job = jobs.start(order(replace(settings, job_memory=250_000_000), long_text() * 5, size=100_000))
    assert ended(job) == "failed"
    assert job.events()[-1]["code"] == "over-limit"


def test_an_error_of_the_training_is_told(jobs, settings):
    job = jobs.start(order(settings, "no digits", pattern=r"\d+"))
    assert ended(job) == "failed"
    assert job.events()[-1]["pointer"] == "/texts"


def test_a_full_disk_is_told_and_leaves_nothing_partial(settings, tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()
    script = 'ulimit -f 16; exec "$0" -m tokenarium job train "$1"'
    with subprocess.Popen(["sh", "-c", script, sys.executable, folder], cwd=ROOT, stdin=subprocess.PIPE) as process:
        process.stdin.write(order(settings, size=3000).dump())
        process.stdin.flush()
        process.wait()
    job = Job("x", EventReader(folder))
    assert job.events()[-1]["code"] == "no-space"
    assert [path.name for path in folder.iterdir()] == [EVENTS]


def test_where_no_folder_can_be_made_no_job_is_started(tmp_path):
    (tmp_path / "file").touch()
    settings = Settings(local=tmp_path / "file" / "local")
    with pytest.raises(Unavailable, match=r"^No trainings can be started: Not a directory\.$"):
        Jobs(settings).start(order(settings))


def test_a_line_that_was_cut_off_is_no_event(jobs, settings, held):
    held.write({"kind": "note"})
    (job,) = jobs.all()
    with (job.folder / EVENTS).open("ab") as file:
        file.write(b'{"kind": "not')
    assert kinds(job) == ["note"]


@pytest.mark.parametrize("id", ["", "x", "../../etc", "A" * 22, ".", "lock"])
def test_an_id_that_is_none_is_unknown(jobs, id):
    with pytest.raises(UnknownJob, match="None of the trainings has this id;"):
        jobs.get(id)


def test_jobs_that_ended_an_hour_ago_are_swept(jobs, held):
    (job,) = jobs.all()
    for last, seconds, kept in (("note", 3700, True), ("failed", 3500, True), ("failed", 3700, False)):
        held.write({"kind": last})
        os.utime(job.folder, (time.time() - seconds,) * 2)
        jobs.sweep()
        assert job.folder.exists() == kept


def test_a_clock_that_is_set_forward_removes_no_job(jobs, held, monkeypatch):
    held.write({"kind": "failed"})
    (job,) = jobs.all()
    hours_ago = time.time() - 10_000
    os.utime(job.folder, (hours_ago, hours_ago))
    with monkeypatch.context() as changed:
        changed.setattr(machine, "STARTED", machine.STARTED - 10_000)
        jobs.sweep()
        assert job.folder.exists()
    jobs.sweep()
    assert not job.folder.exists()
