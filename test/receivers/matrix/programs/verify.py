"""Verifies a delivery, as receivers in Python usually do."""
import hashlib
import hmac
import os
from datetime import datetime, timedelta, timezone

SECRET = os.environ["SVC_WEBHOOK_SECRET"]


def verify(body, headers):
    """Returns why the delivery is rejected; None if it is valid."""
    timestamp = headers.get("Service-Timestamp", "")
    signatures = headers.get("Service-Signature")
    if not signatures:
        return "Missing signature"
    content = timestamp.encode() + b"." + body
    expected = "v1=" + hmac.new(SECRET.encode(), content, hashlib.sha256).hexdigest()
    if not any(hmac.compare_digest(text.strip().encode(), expected.encode()) for text in signatures.split(",")):
        return "Invalid signature"
    try:
        sent_at = datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return "Invalid timestamp"
    if abs(datetime.now(timezone.utc) - sent_at) > timedelta(minutes=5):
        return "Timestamp too old"
    return None


def handle(event):
    """The work of the receiver."""
    return event["data"]["id"]
