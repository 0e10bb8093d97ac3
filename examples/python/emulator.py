"""Calls the emulator that `svc emulator exec` has started, over HTTP."""

import json
import os
from urllib.request import Request, urlopen

WORKSPACE_ID = os.environ["SVC_WORKSPACE_ID"]


def send(method, url, body=None):
    headers = {"Authorization": f"Bearer {os.environ['SVC_API_KEY']}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers, method=method), timeout=10) as response:
        return json.load(response)


def api(method, path, body=None):
    """Calls the API of the service."""
    return send(method, os.environ["SVC_BASE_URL"] + path, body)


def control(method, path, body=None):
    """Calls the control plane: clock, deliveries, deleting endpoints."""
    return send(method, os.environ["SVC_CONTROL_URL"] + path, body)


def register(url):
    webhook = {"workspace_id": WORKSPACE_ID, "url": url, "events": ["order.shipped"]}
    return api("POST", "/webhooks", webhook)


def trigger(payload):
    return api("POST", "/events", {"type": "order.shipped", "payload": payload})


def advance(by):
    """Returns when each attempt that became due has ended."""
    return control("POST", "/clock/advance", {"workspace_id": WORKSPACE_ID, "ms": by})


def delivery_of(event):
    return control("GET", f"/deliveries?event_id={event['id']}")["data"][0]


def replay(delivery):
    return control("POST", f"/deliveries/{delivery['id']}/replay")
