"""A server that receives deliveries. Python 3.7 or later, standard library only."""

import hashlib
import hmac
import json
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

TOLERANCE = timedelta(minutes=5)


class Receiver(ThreadingHTTPServer):
    """Passes each event to `enqueue` once. If that raises, the service retries later."""

    def __init__(self, secret, enqueue):
        super().__init__(("127.0.0.1", 0), Handler)
        self.secret = secret
        self.enqueue = enqueue
        self.accepted = set()  # In production: a unique column, written in one transaction with the job.
        self.lock = Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def accept(self, event):
        with self.lock:
            if event["id"] not in self.accepted:
                self.enqueue(event)
                self.accepted.add(event["id"])


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        # The raw bytes, verified before they are parsed.
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(self.receive(body))
        self.end_headers()

    def receive(self, body):
        if not is_authentic(body, self.headers, self.server.secret):
            return 400
        try:
            self.server.accept(json.loads(body)["data"])
        except Exception:
            return 500
        return 204

    def log_message(self, *_):
        pass


def is_authentic(body, headers, secret):
    timestamp = headers.get("Service-Timestamp", "")
    try:
        sent_at = datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return False
    if abs(datetime.now(timezone.utc) - sent_at) > TOLERANCE:
        return False
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    expected = f"v1={digest}".encode()
    # Several signatures during a secret rotation.
    signatures = headers.get("Service-Signature", "").split(",")
    return any(hmac.compare_digest(text.strip().encode(), expected) for text in signatures)
