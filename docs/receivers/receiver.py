# python3 receiver.py — Python 3.7 or later, no packages.
import hashlib
import hmac
import json
import os
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

SECRET = os.environ.get("SVC_WEBHOOK_SECRET", "").encode()
if not SECRET:
    raise SystemExit("Set SVC_WEBHOOK_SECRET.")
TOLERANCE = timedelta(minutes=5)
seen = set()  # In production: a durable store, written in one transaction with the job.
seen_lock = Lock()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The raw bytes, verified before they are parsed.
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not is_authentic(body, self.headers):
            return self.respond(400)
        event = json.loads(body)["data"]
        with seen_lock:  # Delivery is at least once.
            is_new = event["id"] not in seen
            seen.add(event["id"])
        self.respond(204)  # Accepted. The work comes after the response.
        if is_new:
            print(f"processed {event['type']} {event['id']}", flush=True)

    def respond(self, status):
        self.send_response(status)
        self.end_headers()


def is_authentic(body, headers):
    timestamp = headers.get("Service-Timestamp", "")
    try:
        sent_at = datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return False
    if abs(datetime.now(timezone.utc) - sent_at) > TOLERANCE:
        return False
    digest = hmac.new(SECRET, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    expected = f"v1={digest}".encode()
    # Several signatures during a secret rotation.
    signatures = headers.get("Service-Signature", "").split(",")
    return any(hmac.compare_digest(text.strip().encode(), expected) for text in signatures)


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # Deliveries arrive in bursts. By default only five connections can wait.


server = Server(("127.0.0.1", int(os.environ.get("PORT", "4242"))), Receiver)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
