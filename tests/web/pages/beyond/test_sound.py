"""The laboratory of sound: the page, a WAV that is sent, what it plays, and its JSON."""

import numpy as np
import pytest
from tokenarium.lab.beyond.sounds import RATE, read_wav, wav

from tests.support.sounds import SECOND, written

PAGE, API = "/beyond/sound", "/api/beyond/sound"


def upload(ask, data, path=PAGE, **fields):
    return ask("POST", path, files={"file": ("sound.wav", data)}, data=fields)


def test_the_page_shows_codebooks_tokens_and_budgets(ask):
    answer = ask("GET", f"{PAGE}?sound=tone&size=64&codebooks=2")
    assert '<dd data-count="tokens">500</dd>' in answer.text
    assert answer.text.count("<audio") == 10
    assert answer.text.count('<tr><th scope="row">') >= 2
    assert "from the paper, not checked here" in answer.text
    assert "media-src 'self' data:" in answer.headers["content-security-policy"]
    assert "media-src" not in ask("GET", "/beyond").headers["content-security-policy"]


def test_the_sounds_of_the_page_can_be_played_and_come_nearer_to_the_original(ask):
    listen = f"{PAGE}/listen.wav?sound=chirp&size=64&codebooks="
    original, rough, fine = (read_wav(ask("GET", f"{listen}{count}").content) for count in (0, 1, 8))
    assert len(original) == len(rough) == len(fine) == 3 * RATE
    assert np.square(fine - original).mean() < np.square(rough - original).mean()


def test_a_wav_that_is_sent_is_heard_from_the_page_itself(ask):
    answer = upload(ask, wav(SECOND), codebooks="4", size="16")
    assert answer.status_code == 200
    assert answer.text.count('src="data:audio/wav;base64,') == 10
    assert '<dd data-count="tokens">1,000</dd>' in answer.text
    assert "kilobits a second" in answer.text


@pytest.mark.parametrize(
    ("data", "status", "says"),
    [
        (b"no sound", 422, "not a WAV"),
        (written(np.array([np.nan] * RATE)), 422, "not numbers"),
        (written(np.zeros(11 * RATE)), 413, "at most 10 are read"),
    ],
)
def test_what_is_refused_is_said_on_the_page_and_as_a_problem(ask, data, status, says):
    page = upload(ask, data, codebooks="5")
    assert (page.status_code, says in page.text) == (status, True)
    assert 'name="codebooks" min="1" max="8" value="5"' in page.text
    problem = upload(ask, data, f"{API}/file")
    assert (problem.status_code, says in problem.json()["detail"]) == (status, True)


def test_the_json_has_a_token_for_every_frame_and_codebook(ask):
    answer = ask("POST", API, json={"sound": "chirp", "size": 32, "codebooks": 2}).json()
    assert [len(row) for row in answer["tokens"]] == [answer["positions"]] * 2
    assert max(map(max, answer["tokens"])) < 32
    assert [level["bits_per_second"] for level in answer["levels"]] == [1250.0 * count for count in range(1, 9)]
    sent = upload(ask, wav(SECOND), f"{API}/file", size="16").json()
    assert (sent["seconds"], sent["log_mel_frames"], len(sent["tokens"])) == (1, 100, 8)
    assert upload(ask, wav(SECOND), f"{API}/file", size="-1").status_code == 422


def test_a_prediction_hides_what_the_codebooks_reach_until_it_is_answered(ask):
    asked = ask("GET", f"{PAGE}?sound=tone&size=16&predict=1").text
    assert "What do all 8 reach?" in asked
    assert [part in asked for part in ("What each codebook adds", "dB, unseen sound", "data-answer")] == [False] * 3
    shown = ask("GET", f"{PAGE}?sound=tone&size=16&predict=1&guess=shown").text
    assert "The answer is" in shown
    assert "What each codebook adds" in shown
