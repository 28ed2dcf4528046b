"""A server of our own, a real Chromium, and pages on which no error or foreign request goes unseen."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Error, Page, expect, sync_playwright
from tokenarium.settings import CORES, ROOT

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OTHER_NAME = "tokens.example"
"""A name of this machine in a local network."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP {OTHER_NAME} 127.0.0.1",
]
TELL_VIOLATIONS = (
    "addEventListener('securitypolicyviolation', e => console.error('policy', e.violatedDirective, e.blockedURI))"
)
DESK = {"width": 1280, "height": 900}
FORGET = "if (window === top && window.name !== 'begun') { localStorage.clear(); window.name = 'begun'; }"
"""A new page begins with an empty storage, though its context may have had pages before."""
SEEN = "localStorage.setItem('tokenarium.opening', 'seen')"

DEJAVU = [f"DejaVu{face}{bold}.ttf" for face in ("Sans", "SansMono", "Serif") for bold in ("", "-Bold")]
"""The files of Debian's fonts-dejavu-core, the only fonts of the browser: all machines give the same widths."""

ADDRESS = pytest.StashKey[str]()
STARTED = re.compile(r"^tokenarium_worker_starts_total (\S+)$", re.MULTILINE)
BOUND = float(os.environ.get("PYTEST_TIMEOUT", "300"))
"""Seconds until a test is ended that hangs."""
PATIENCE = 60_000
"""Milliseconds until an expectation fails. No test waits so long on a quiet machine."""
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items):
    """Let a test that hangs end its process: Playwright, once interrupted, would wait for ever again.

    The first one of a process waits for the server and the browser, too, which takes long on a busy machine.
    """
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(BOUND, method="thread"))


SERVE = '"$@" & cat; kill $!; wait'
"""Runs a server until its input ends: it outlives no run, however that ends. Ctrl-C goes to the run alone."""


@contextmanager
def running():
    """A server that runs as a user starts it, with a place of its own for what is kept; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with TemporaryDirectory() as local:
        # No request may take too long because the machine is busy with other things, and none be refused because of
        # the trainings of another test.
        env = os.environ | {
            "TOKENARIUM_LOCAL": local,
            "TOKENARIUM_MAX_SECONDS": "300",
            "TOKENARIUM_MAX_WAIT": "300",
            "TOKENARIUM_JOBS": "8",
            "TOKENARIUM_ALLOWED_HOSTS": OTHER_NAME,
        }
        command = ["sh", "-c", SERVE, "sh", sys.executable, "-m", "tokenarium", "serve", "--port", str(port)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
        with subprocess.Popen(command, cwd=ROOT, env=env, start_new_session=True, **pipes):
            yield f"http://127.0.0.1:{port}"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Start a server for all processes, in the one that starts them and outlives them."""
    if ADDRESS not in node.config.stash:
        server = running()
        node.config.stash[ADDRESS] = server.__enter__()
        node.config.add_cleanup(lambda: server.__exit__(None, None, None))
    node.workerinput["base"] = node.config.stash[ADDRESS]


@pytest.fixture(scope="session")
def base(request):
    """The address of a server, which all processes share; their pages have cookies of their own."""
    with ExitStack() as servers:
        shared = getattr(request.config, "workerinput", {}).get("base")
        address = shared or servers.enter_context(running())
        # A page that is opened before all workers are there may later ask another worker, which has not cached its run.
        wait_for(f"{address}/metrics", lambda told: float(re.search(STARTED, told)[1]) > CORES)
        yield address


def wait_for(address, holds):
    """Wait until a server answers with a body of which something holds."""
    for _ in range(1200):
        with suppress(urllib.error.URLError), urllib.request.urlopen(address) as answer:
            if holds(answer.read().decode()):
                return
        time.sleep(0.1)
    raise AssertionError(f"{address} does not answer as it should.")


def chromium_path():
    """The path of the browser named by CHROMIUM, or of one on the PATH."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not path:
        pytest.fail(
            "No Chromium or Chrome on the PATH. Install one, or set CHROMIUM to its path; `make test` does both."
        )
    return path


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """The browser that all tests share; it has no fonts but DejaVu."""
    env = {**os.environ, "FONTCONFIG_FILE": str(_dejavu_alone(tmp_path_factory.mktemp("fonts")))}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS, env=env)
        yield browser
        browser.close()


def _dejavu_alone(folder):
    """Write a configuration of fontconfig that has no fonts but those of DejaVu into a folder, and return its path."""
    for path in Path("/usr/share/fonts").rglob("DejaVu*.ttf"):
        if path.name in DEJAVU:
            (folder / path.name).symlink_to(path)
    defaults = {"sans-serif": "DejaVu Sans", "serif": "DejaVu Serif", "monospace": "DejaVu Sans Mono"}
    aliases = [
        f"<alias><family>{generic}</family><prefer><family>{family}</family></prefer></alias>"
        for generic, family in defaults.items()
    ]
    configuration = folder / "fonts.conf"
    configuration.write_text(
        f"<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir>{''.join(aliases)}</fontconfig>"
    )
    return configuration


@dataclass
class Watch:
    """What a page did. `allowed` are words of console errors that a test provokes."""

    base: str
    requests: list = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    seen: list = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def see(self, page):
        acts = {
            "request": lambda request: self.requests.append(request),
            "console": lambda said: self._note(said),
            "pageerror": lambda error: self.complaints.append(str(error)),
        }
        self.seen.append((page, acts))
        for event, act in acts.items():
            page.on(event, act)

    def look_away(self):
        for page, acts in self.seen:
            for event, act in acts.items():
                page.remove_listener(event, act)

    def _note(self, said):
        if said.type in ("error", "warning"):
            self.complaints.append(f"{said.text} {said.location['url'].removeprefix(self.base)}".strip())

    def check(self):
        unexpected = [text for text in self.complaints if not any(word in text for word in self.allowed)]
        assert not unexpected
        local = (self.base, "data:", "blob:")
        assert [request.url for request in self.requests if not request.url.startswith(local)] == []


@pytest.fixture
def watch(base):
    return Watch(base)


@pytest.fixture(scope="session")
def context_of(chromium):
    """Browser contexts by their options.

    Pages of a context share its cache of scripts and style sheets: a page opens in less than half of the time that it
    takes in a context of its own. Motion is reduced unless a test is about it: to paint the bar that grows while a page
    waits takes more of the processor than all else.
    """
    contexts = {}

    def context_of(*, first_visit=False, **options):
        options = {"viewport": DESK, "reduced_motion": "reduce", **options}
        key = json.dumps([first_visit, options], sort_keys=True)
        if key not in contexts:
            contexts[key] = chromium.new_context(**options)
            contexts[key].set_default_timeout(PATIENCE)
            contexts[key].grant_permissions(["clipboard-read", "clipboard-write"])
            contexts[key].add_init_script(TELL_VIOLATIONS)
            contexts[key].add_init_script(FORGET)
            if not first_visit:
                contexts[key].add_init_script(SEEN)
        return contexts[key]

    yield context_of
    for context in contexts.values():
        context.close()


@pytest.fixture
def open_page(context_of, base, watch):
    """Open the playground, not for the first time: `open_page(color_scheme="dark", java_script_enabled=False)`.

    The first page of a context is kept for the next test: to make one takes as long as to fill it.
    """
    kept = {}

    def open_one(path="/", **options):
        context = context_of(**options)
        context.clear_cookies()
        pages = kept.setdefault(context, context.pages)
        page = pages.pop() if pages else context.new_page()
        if page.viewport_size != (size := options.get("viewport", DESK)):
            page.set_viewport_size(size)
        # What a test before it has changed; all else that can be emulated belongs to the context.
        page.emulate_media(media="screen", color_scheme=options.get("color_scheme", "light"))
        watch.see(page)
        page.goto(base + path)
        return page

    yield open_one
    try:
        for context in kept:
            context.cookies()  # an answer of the browser comes after the events of its pages
        watch.check()  # before the pages are left: what leaving them interrupts is no complaint
    finally:
        watch.look_away()
        for context in kept:
            for page in context.pages[1:]:
                close(page)
            for page in context.pages:
                leave(page, base)


def leave(page, base):
    """Take a page to where nothing goes on and nothing is remembered, or close it."""
    try:
        page.unroute_all(behavior="ignoreErrors")
        page.goto(f"{base}/healthz")
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    except Error:  # it was on its way elsewhere
        close(page)


def close(page):
    """Close a page, again if need be, without waiting for ever.

    Chromium confirms that a page is closed but leaves it open if a navigation of it is just then committed
    (https://crbug.com/536385539), and `page.close()` waits for its end, unless `run_before_unload` is set.
    A test often ends so, with a click on a form.
    """
    for attempt in range(1000):
        with suppress(Error):  # it is closed meanwhile
            if attempt % 5 == 0:
                page.close(run_before_unload=True)
            page.wait_for_timeout(20)
        if page.is_closed():
            return
    raise AssertionError("The page does not close.")


@pytest.fixture
def page(open_page) -> Page:
    return open_page()
