import json
import os

from flask import Flask, abort, request

from verify import handle, verify

app = Flask(__name__)


@app.post("/webhooks")
def webhooks():
    body = request.get_data()
    problem = verify(body, request.headers)
    if problem:
        abort(401, problem)
    handle(json.loads(body))
    return "", 204


app.run("127.0.0.1", int(os.environ["PORT"]), threaded=True)
