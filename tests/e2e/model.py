"""A scripted model: what a scenario's scripts say, spoken as the Messages API on loopback.

A script is a list of turns. A turn is a list of calls (sent as one message of parallel tool
calls) or a text (which ends the turn). The script of a request is named by the last
`[[script:NAME]]` in its user texts, and the turn is the number of assistant messages after that
mark; so nothing is remembered between requests, and a retry, a resumed session and a compacted
one get the right turn.
"""

import json
import re
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MARK = re.compile(r"\[\[script:([A-Za-z0-9_.-]+)\]\]")


def prompt(script):
    """The prompt that makes the model follow `script`."""
    return f"[[script:{script}]] go"


def call_id(script, turn, number):
    """The id of one scripted tool call."""
    return f"toolu_{re.sub(r'[^A-Za-z0-9]', '', script)}_{turn:03d}_{number:02d}"


class Model:
    """One model for one scenario; `url` is where a client finds it."""

    def __init__(self, scripts):
        self.scripts = scripts
        self.results = {}
        self.sent = set()
        self.requests = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, body):
        """The content blocks and the stop reason for one request; keeps what it tells."""
        messages = body.get("messages", [])
        with self.lock:
            self.requests.append(body)
            for message in messages:
                self._keep_results(message)
        script, turn = _place(messages)
        turns = self.scripts.get(script, [])
        if not body.get("tools") or script is None or turn >= len(turns):
            # Titles, summaries of a compaction, and what comes after the last scripted turn.
            return [{"type": "text", "text": "Nothing more to do."}], "end_turn"
        if isinstance(turns[turn], str):
            return [{"type": "text", "text": turns[turn]}], "end_turn"
        blocks = []
        for number, call in enumerate(turns[turn]):
            name = call_id(script, turn, number)
            with self.lock:
                self.sent.add(name)
            blocks.append({"type": "tool_use", "id": name, "name": call["tool"], "input": call["input"]})
        return blocks, "tool_use"

    def _keep_results(self, message):
        content = message.get("content")
        if not isinstance(content, list):
            return
        for block in content:
            if block.get("type") != "tool_result":
                continue
            text = block.get("content")
            if isinstance(text, list):
                text = "\n".join(part.get("text", "") for part in text)
            self.results[block["tool_use_id"]] = (bool(block.get("is_error")), text or "")


def _place(messages):
    """The script and the turn that a request is at."""
    script, turn = None, 0
    for message in messages:
        if message.get("role") == "assistant":
            turn += 1
            continue
        marks = MARK.findall(_text(message))
        if marks:
            script, turn = marks[-1], 0
    return script, turn


def _text(message):
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = [block for block in content or [] if block.get("type") == "text"]
    return "\n".join(block.get("text", "") for block in blocks)


def _handler(model):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_HEAD(self):
            self._json({})

        def do_GET(self):
            self._json({"data": [], "has_more": False, "first_id": None, "last_id": None})

        def do_POST(self):
            body = json.loads(self._body() or b"{}")
            path = self.path.split("?")[0]
            if path.endswith("/count_tokens"):
                return self._json({"input_tokens": 1000})
            if path != "/v1/messages":
                error = {"type": "not_found_error", "message": "no such place"}
                return self._json({"type": "error", "error": error}, 404)
            blocks, stop = model.answer(body)
            message = {
                "id": "msg_" + uuid.uuid4().hex[:24],
                "type": "message",
                "role": "assistant",
                "model": body.get("model", "scripted"),
                "content": blocks,
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": {
                    "input_tokens": 1000,
                    "output_tokens": 50,
                    "cache_creation_input_tokens": 0,
                    "cache_read_input_tokens": 0,
                },
            }
            if not body.get("stream"):
                return self._json(message)
            try:
                self._stream(message)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client was ended in mid-answer, which some scenarios do on purpose
            self.close_connection = True

        def _body(self):
            if self.headers.get("transfer-encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("content-length") or 0))
            parts = []
            while size := int(self.rfile.readline().strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def _json(self, document, status=200):
            data = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def _event(self, name, fields):
            data = json.dumps({"type": name, **fields})
            self.wfile.write(f"event: {name}\ndata: {data}\n\n".encode())
            self.wfile.flush()

        def _stream(self, message):
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            opening = {**message, "content": [], "stop_reason": None}
            self._event("message_start", {"message": opening})
            for index, block in enumerate(message["content"]):
                if block["type"] == "text":
                    empty = {"type": "text", "text": ""}
                    delta = {"type": "text_delta", "text": block["text"]}
                else:
                    empty = {**block, "input": {}}
                    delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
                self._event("content_block_start", {"index": index, "content_block": empty})
                self._event("content_block_delta", {"index": index, "delta": delta})
                self._event("content_block_stop", {"index": index})
            stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
            self._event("message_delta", {"delta": stop, "usage": {"output_tokens": 50}})
            self._event("message_stop", {})

    return Handler
