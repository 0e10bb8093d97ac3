"""The emulator that `svc emulator exec` runs the tests beside, by its HTTP interface."""

import json
import os
from urllib.request import Request, urlopen

WORKSPACE_ID = os.environ["SVC_WORKSPACE_ID"]


def ask(method, url, body=None):
    headers = {"Authorization": f"Bearer {os.environ['SVC_API_KEY']}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers, method=method), timeout=10) as response:
        return json.load(response)


def api(method, path, body=None):
    """The service itself."""
    return ask(method, os.environ["SVC_BASE_URL"] + path, body)


def control(method, path, body=None):
    """What the service has no operation for: the clock, deliveries, endpoints that are deleted again."""
    return ask(method, os.environ["SVC_CONTROL_URL"] + path, body)


def register(url):
    webhook = {"workspace_id": WORKSPACE_ID, "url": url, "events": ["order.shipped"]}
    return api("POST", "/webhooks", webhook)


def trigger(payload):
    return api("POST", "/events", {"type": "order.shipped", "payload": payload})


def advance(minutes):
    """Comes back when all that is due by then has been sent and answered."""
    return control("POST", "/clock/advance", {"workspace_id": WORKSPACE_ID, "ms": minutes * 60_000})


def delivery_of(event):
    return control("GET", f"/deliveries?event_id={event['id']}")["data"][0]


def replay(delivery):
    return control("POST", f"/deliveries/{delivery['id']}/replay", {})
