"""The loop of a worker: one JSON object in, one out, errors as text."""

import json
import sys


def serve(**verbs):
    for line in sys.stdin:
        message = json.loads(line)
        try:
            answer = verbs[message.pop("do")](**message) or {}
        except Exception as error:  # whatever a peer throws is the answer
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(answer), flush=True)
