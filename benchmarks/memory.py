"""Memory of a server and its workers under varied requests: many tokenizers, texts, pages and comparisons."""

import argparse
import http.client
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from tokenarium.lab.conformance import texts
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.processes import share, workers
from benchmarks.start import resident, server
from benchmarks.text import mixed

LIMIT = 250
"""Megabytes that the server may hold, and each worker; of what several share, its part."""
INFOS = Registry(Settings()).infos()
IDS = [info.id for info in INFOS]
Request = tuple[str, str, dict[str, object] | None]


def requests(seed: int) -> Iterator[Request]:
    """Yield method, path and body of requests without end."""
    draw, prose, generated = Random(seed), mixed(), texts(seed=seed)
    while True:
        size = draw.choice((20, 200, 2_000, 20_000, 200_000))
        start = draw.randrange(len(prose) - size) if size < len(prose) else 0
        text = draw.choice((prose[start : start + size], next(generated)))
        info = draw.choice(INFOS)
        short, id = text[:300], info.id
        one = {"tokenizer": id, "engine": draw.choice(info.engines), "text": text}
        some = [*{draw.choice(IDS) for _ in range(draw.randint(2, 4))}]
        yield draw.choice(
            [
                ("POST", "/tokenize", one),
                ("POST", "/tokenize", one | {"text": short, "include": ["ids"]}),
                ("POST", "/tokenize", one | {"text": [short, text[300:600]]}),
                ("POST", "/detokenize", {"tokenizer": id, "ids": [draw.randrange(256) for _ in range(200)]}),
                ("POST", "/api/compare", {"tokenizers": some, "text": text[:5000]}),
                ("GET", f"/?{urlencode({'tokenizer': id, 'text': short})}", None),
                ("GET", f"/compare?{urlencode([*(('tokenizer', one) for one in some), ('text', short)])}", None),
                ("GET", f"/steps?{urlencode({'text': short[:80], 'merges': draw.randint(1, 30)})}", None),
                ("GET", f"/tokenizers/{id}?{urlencode({'q': short[:3]})}", None),
                ("GET", draw.choice(("/tokenizers", "/languages", "/chat", "/doctor", "/train", "/about")), None),
            ]
        )


def send(port: int, seed: int, seconds: float) -> dict[int, int]:
    """Send requests for some time, one after another; return how many had each status."""
    statuses: dict[int, int] = {}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    end = time.monotonic() + seconds
    for method, path, body in requests(seed):
        if time.monotonic() > end:
            return statuses
        data = json.dumps(body, ensure_ascii=True).encode() if body is not None else None
        connection.request(method, path, data, {"content-type": "application/json"} if data else {})
        response = connection.getresponse()
        response.read()
        statuses[response.status] = statuses.get(response.status, 0) + 1
    raise AssertionError("The requests have no end.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--clients", type=int, default=3)
    args = parser.parse_args()
    with TemporaryDirectory() as folder, server(TOKENARIUM_LOCAL=folder) as (port, pid):
        threads = ThreadPoolExecutor(args.clients)
        sent = [threads.submit(send, port, seed, args.seconds) for seed in range(args.clients)]
        print("second  server  workers, MB")
        for second in range(5, args.seconds, 5):
            time.sleep(5)
            own, theirs = resident(pid), [share(one) for one in workers(pid)]
            print(f"{second:6}{own:8.0f}  {' '.join(f'{one:.0f}' for one in theirs)}", flush=True)
        for one in sent:
            print(one.result())
        time.sleep(2)
        most = [resident(pid), max(map(share, workers(pid)))]
    print(f"at rest: server {most[0]:.0f} MB, the largest worker {most[1]:.0f} MB; at most {LIMIT} each")
    raise SystemExit(max(most) > LIMIT)


if __name__ == "__main__":
    main()
