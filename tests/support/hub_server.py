"""A hub on 127.0.0.1: the list of a repository's files, with the sizes that it tells, and the files."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PART = bytes(2**16)


@contextmanager
def hub(sizes, contents, *, status=200):
    """Serve the repository org/name of files with these sizes; yield the address, and a list of what was sent.

    Of a file whose contents are None, as much is sent as the client reads, at most a gigabyte.
    """
    sent = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.partition("?")[0]
            if path.startswith("/api/models/org/name"):
                files = [{"rfilename": name, "size": size} for name, size in (sizes or {}).items()]
                listing = {"id": "org/name", "sha": "a" * 40, "siblings": files} if sizes is not None else []
                self.answer(status, json.dumps(listing).encode())
            else:
                name = path.removeprefix(f"/org/name/resolve/{'a' * 40}/")
                self.answer(200 if name in contents else 410, contents.get(name, b""))
                if "/" not in name:  # the client library asks for other things, too
                    sent.append(name)

        def answer(self, status, body):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if body is not None:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                for part in [body] if body is not None else [PART] * (10**9 // len(PART)):
                    self.wfile.write(part)
            except OSError:
                sent.append("cut off")

        def log_message(self, *_):
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False  # closing it waits for what is under way
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", sent
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
