"""Jobs: processes of their own that end in a result or in nothing, however they end."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from tokenarium.errors import NoSpace, NotFinished, Overloaded, UnknownJob
from tokenarium.jobs.event_reader import EventReader
from tokenarium.jobs.events import EVENTS, LOCK, RESULT
from tokenarium.jobs.job import Job, Jobs
from tokenarium.lab.train.options import TrainingOptions
from tokenarium.lab.train.saving import load_result
from tokenarium.lab.train.spec import TrainingSpec
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
    return TrainingSpec(texts=(text,), options=TrainingOptions(**options), corpus="a text", settings=settings)


def ended(job, seconds=60):
    """Its state, once its process is gone."""
    until = time.monotonic() + seconds
    while job.running:
        assert time.monotonic() < until
        time.sleep(0.02)
    return job.state()


def learning(job):
    """Wait until it has told something."""
    while not job.events():
        assert job.state() == "running"
        time.sleep(0.02)
    return job


def kinds(job):
    return [event["kind"] for event in job.events()]


def test_a_job_ends_in_a_result(jobs, settings):
    job = jobs.start(order(settings, size=300))
    assert ended(job) == "finished"
    assert kinds(job)[0] == "started"
    assert kinds(job)[-1] == "finished"
    assert len(load_result(job).pieces) == 300


def test_another_server_over_the_same_store_sees_the_job_and_can_cancel_it(jobs, settings):
    job = learning(jobs.start(order(settings, long_text(), size=100_000)))
    other = Jobs(settings)
    assert other.get(job.id).state() == "running"
    assert other.cancel(job.id).state() == "cancelled"
    assert job.state() == "cancelled"
    assert not job.running
    with pytest.raises(NotFinished):
        load_result(job)


def test_cancelling_what_has_finished_changes_nothing(jobs, settings):
    job = jobs.start(order(settings, size=300))
    ended(job)
    assert jobs.cancel(job.id).state() == "finished"


def test_kill_9_interrupts_and_leaves_no_result(jobs, settings):
    job = learning(jobs.start(order(settings, long_text(), size=100_000)))
    os.kill(int((job.folder / LOCK).read_text()), signal.SIGKILL)
    assert ended(job) == "interrupted"
    assert sorted(path.name for path in job.folder.iterdir()) == [EVENTS, LOCK]


def test_a_job_ends_with_the_server_that_began_it(settings):
    code = (
        "import sys, time; from pathlib import Path; from tokenarium.settings import Settings; "
        "from tokenarium.jobs.job import Jobs; from tokenarium.lab.train.spec import TrainingSpec; "
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


def test_two_train_at_once_and_a_third_is_told_to_wait(jobs, settings):
    running = [learning(jobs.start(order(settings, long_text(), size=100_000))) for _ in range(2)]
    with pytest.raises(Overloaded):
        jobs.start(order(settings))
    with pytest.raises(Overloaded):
        Jobs(settings).start(order(settings))
    assert [job.state() for job in running] == ["running", "running"]
    jobs.cancel(running[0].id)
    assert ended(jobs.start(order(settings, size=300))) == "finished"


def test_a_job_ends_at_its_limit_of_time(jobs, settings):
    job = jobs.start(order(replace(settings, job_seconds=1), long_text(), size=100_000))
    assert ended(job) == "failed"
    problem = job.events()[-1]
    assert (problem["code"], problem["limit"]) == ("over-limit", 1)


def test_a_job_ends_at_its_limit_of_memory(jobs, settings):
    job = jobs.start(order(replace(settings, job_memory=250_000_000), long_text() * 5, size=100_000))
    assert ended(job) == "failed"
    assert job.events()[-1]["code"] == "over-limit"


def test_one_word_of_400_000_letters_ends_in_bounded_time(jobs, settings):
    word = long_text(500_000).replace(" ", "")[:400_000]
    job = jobs.start(order(replace(settings, job_seconds=5), word, size=1000, held_out=0))
    assert ended(job) in ("finished", "failed")


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


def test_where_no_folder_can_be_made_there_is_no_space(tmp_path):
    (tmp_path / "file").touch()
    settings = Settings(local=tmp_path / "file" / "local")
    with pytest.raises(NoSpace):
        Jobs(settings).start(order(settings))


def test_a_line_that_was_cut_off_is_no_event(jobs, settings):
    job = jobs.start(order(settings, size=300))
    ended(job)
    before = kinds(job)
    with (job.folder / EVENTS).open("ab") as file:
        file.write(b'{"kind": "not')
    assert kinds(job) == before


@pytest.mark.parametrize("id", ["", "x", "../../etc", "A" * 22, ".", "lock"])
def test_an_id_that_is_none_is_unknown(jobs, id):
    with pytest.raises(UnknownJob):
        jobs.get(id)


def test_jobs_that_ended_long_ago_are_swept(jobs, settings):
    old = jobs.start(order(settings, size=300))
    ended(old)
    os.utime(old.folder, (0, 0))
    ended(jobs.start(order(settings, size=300)))
    with pytest.raises(UnknownJob):
        jobs.get(old.id)
