import json
import os

import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response

from verify import handle, verify

app = FastAPI()


@app.post("/webhooks")
async def webhooks(request: Request):
    body = await request.body()
    problem = verify(body, request.headers)
    if problem:
        raise HTTPException(401, problem)
    handle(json.loads(body))
    return Response(status_code=204)


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="critical")
