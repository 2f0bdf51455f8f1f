"""Receives webhooks with Python's own library: WEBHOOK_SECRET=whsec_… PORT=9100 python3 receiver.py"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
BODY_BYTES_MAX = 1024 * 1024
SECRET = os.environ.get("WEBHOOK_SECRET", "")
# Ids of events that were handled. In earnest: a unique key of your database, written with what the event changes.
handled = set()


def verify(body: bytes, headers, secret: str) -> str:
    """Gives the event's id, or raises ValueError. `body` is the body as it came, before any parser."""
    event_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{event_id}.{timestamp}.".encode() + body
    wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # Several, parted by spaces, while one secret replaces another.
    given = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(one.encode(), wanted.encode()) for one in given):
        raise ValueError("no signature fits")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise ValueError("signed too long ago, or in the future")
    return event_id


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Seconds that a request may stand still.
    timeout = 30

    def do_POST(self):
        length = self.headers.get("content-length", "")
        size = int(length) if length.isdecimal() else BODY_BYTES_MAX + 1
        if size > BODY_BYTES_MAX:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(size)
        try:
            event_id = verify(body, self.headers, SECRET)
        except ValueError as error:
            print("refused:", error, file=sys.stderr, flush=True)
            return self.answer(401, str(error))
        if event_id not in handled:
            event = json.loads(body)
            print(event["event"], event_id, event["sequence"], flush=True)
            handled.add(event_id)
        # Soon: what takes longer than 15 s counts as failed. Put it into a queue of your own.
        self.answer(204)

    def answer(self, status: int, text: str = ""):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


if not SECRET.startswith("whsec_"):
    sys.exit("set WEBHOOK_SECRET to the secret of the webhook")
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9100"))), Receiver)
print("listening", {"port": server.server_port}, flush=True)
server.serve_forever()
