"""An HTTPS server on the loopback with JSON documents, for one run of the firmware."""

from __future__ import annotations

import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import TracebackType

__all__ = ["Server", "document"]

READINGS = 40


def document(number: int) -> tuple[str, int, int]:
    """The text of a document, its readings and their sum in quarters."""
    count = READINGS + number % 4 * 17
    quarters = [(number * 97 + i * 31) % 4000 for i in range(count)]
    readings = [
        {"sensor": f"sensor-{i % 7}", "unit": "celsius", "value": value / 4}
        for i, value in enumerate(quarters)
    ]
    return json.dumps({"document": number, "readings": readings}), count, sum(quarters)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        number = self.path.removeprefix("/documents/")
        if number == self.path or not number.isdigit():
            self.send_error(404)
            return
        body = document(int(number))[0].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the firmware tells."""


class Server:
    """Serves as long as it is open, on a port that was free."""

    def __init__(self, certificate: Path, key: Path) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(certificate, key)
        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.port = int(self._server.server_address[1])

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
