"""A chat endpoint that lets a small language model write many documents at once.

Servers for one processor answer one call after the other, which takes a model of 135 million
parameters about five seconds a document on two cores. This one decodes waiting calls together, and
takes up another as soon as one has ended:

    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    python -m benchmarks.batching_endpoint FOLDER --name SmolLM2-135M-Instruct --port 8000

FOLDER holds a causal language model of Llama's shape with its chat template, as transformers saves
one. Calls are those of OpenAI's chat completions; `max_tokens`, `temperature`, `top_p`, and
llama.cpp's `top_k`, `min_p` and `repeat_penalty` (over the last 64 tokens that were written) are
heeded, each call by its own. It listens on this machine alone.

Each batch has the weights in 32 bits for itself, and room for the keys and values of its calls: for
that model up to 6 GB with 64 calls of 2,048 tokens.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import torch
from transformers import AutoTokenizer

from benchmarks.slot_decoding import Slot, SlotModel

_LONGEST_BODY = 1_000_000
_PENALISED = 64
_CANDIDATES = 512
_READ_TOGETHER = 8


@dataclass(eq=False)
class Call:
    """A call that waits for its text."""

    tokens: list[int]
    most: int
    temperature: float
    top_p: float
    top_k: int
    min_p: float
    penalty: float
    done: Future[tuple[list[int], str]] = field(default_factory=Future)
    written: list[int] = field(default_factory=list)


class NoRoomError(ValueError):
    """A call and its answer are longer than a slot."""


class Writer:
    """Decodes calls together, in the order in which they come.

    Parameters
    ----------
    folder : str
        Of the model.
    batch : int
        The most calls that are decoded together.
    context : int, default=2048
        The most tokens of a call and its answer.
    """

    def __init__(self, folder: str, batch: int, context: int = 2048) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = SlotModel(folder, batch, context)
        self._waiting: list[Call] = []
        # The call of each slot that is in use: those are always the first ones.
        self._writing: list[Call] = []
        self._changed = threading.Condition()

    @property
    def load(self) -> int:
        """Calls that wait or are written."""
        return len(self._waiting) + len(self._writing)

    def ask(self, call: Call) -> tuple[list[int], str]:
        """Wait for a call's tokens and the reason for their end.

        Raises
        ------
        NoRoomError
            If the call and its answer are longer than a slot.
        """
        if len(call.tokens) + call.most > self.model.context:
            raise NoRoomError(
                f"{len(call.tokens)} tokens and an answer of {call.most} are more than "
                f"{self.model.context}"
            )
        with self._changed:
            self._waiting.append(call)
            self._changed.notify()
        return call.done.result()

    def run(self) -> None:
        """Decode for ever."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting or self._writing))
            try:
                self.go_on()
            except Exception as error:
                for call in self._writing:
                    if not call.done.done():
                        call.done.set_exception(error)
                self._writing = []

    def go_on(self) -> None:
        """Take up calls that wait where there is room for some, else write a token of each."""
        with self._changed:
            free = self.model.slots - len(self._writing)
            wanted = min(_READ_TOGETHER, self.model.slots, len(self._waiting))
            taken = self._waiting[:wanted] if free >= wanted else []
            del self._waiting[: len(taken)]
        if taken:
            first = len(self._writing)
            prompts = [self._placed(first + n, call) for n, call in enumerate(taken)]
            self._writing += taken
            self._accept(first, self.model.read(prompts))
        else:
            tokens = torch.tensor([call.written[-1] for call in self._writing])
            places = [len(call.tokens) + len(call.written) - 1 for call in self._writing]
            self._accept(0, self.model.step(tokens, torch.tensor(places)))

    def _placed(self, number: int, call: Call) -> Slot:
        """The slot of a call, with as much of its prompt as another slot has at its start."""
        shared = [_alike(call.tokens, own.tokens) for own in self._writing]
        known = max(shared, default=0)
        if known:
            self.model.copy(shared.index(known), number, known)
        return Slot(number, call.tokens, known)

    def _accept(self, first: int, logits: torch.Tensor) -> None:
        """Give the calls from a slot on their next tokens, and those that end their answer."""
        drawn = _drawn(logits, self._writing[first:]).tolist()
        ended = []
        for number, token in enumerate(drawn, start=first):
            call = self._writing[number]
            if token != self.tokenizer.eos_token_id:
                call.written.append(token)
                if len(call.written) < call.most:
                    continue
            ended.append(number)
            reason = "length" if len(call.written) == call.most else "stop"
            call.done.set_result((call.written, reason))
        for number in reversed(ended):
            last = self._writing.pop()
            if number < len(self._writing):
                self._writing[number] = last
                self.model.copy(
                    len(self._writing), number, len(last.tokens) + len(last.written) - 1
                )


def _alike(tokens: list[int], others: list[int]) -> int:
    """How many tokens two prompts have in common at their start, but for the last of the first."""
    most = min(len(tokens) - 1, len(others))
    return next((n for n in range(most) if tokens[n] != others[n]), most)


@torch.inference_mode()
def _drawn(logits: torch.Tensor, calls: list[Call]) -> torch.Tensor:
    """A token for each row, by that call's own settings."""
    for row, call in enumerate(calls):
        if call.penalty != 1.0 and call.written:
            seen = torch.tensor(call.written[-_PENALISED:]).unique()
            own = logits[row, seen]
            logits[row, seen] = torch.where(own > 0, own / call.penalty, own * call.penalty)
    values, tokens = logits.topk(min(_CANDIDATES, logits.shape[1]), dim=1)
    cold = values.softmax(dim=1)
    top_k, top_p, min_p, heat = (
        torch.tensor([[value] for value in column])
        for column in zip(
            *((own.top_k, own.top_p, own.min_p, max(own.temperature, 1e-4)) for own in calls),
            strict=True,
        )
    )
    # As llama.cpp does, what may be drawn is chosen before the temperature is applied.
    is_kept = torch.arange(values.shape[1])[None] < top_k
    is_kept &= (cold.cumsum(dim=1) - cold) < top_p
    is_kept &= cold >= min_p * cold[:, :1]
    shares = (values / heat).softmax(dim=1)
    drawn = torch.where(is_kept, shares, torch.zeros(())).multinomial(1)
    return tokens.gather(1, drawn)[:, 0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def _handler(writers: list[Writer], name: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            try:
                length = min(int(self.headers.get("content-length", 0)), _LONGEST_BODY)
                asked = json.loads(self.rfile.read(length))
                writer = min(writers, key=lambda own: own.load)
                text = writer.tokenizer.apply_chat_template(
                    asked["messages"], tokenize=False, add_generation_prompt=True
                )
                tokens = writer.tokenizer(text, add_special_tokens=False)["input_ids"]
                call = Call(
                    tokens=tokens,
                    most=int(asked.get("max_completion_tokens") or asked.get("max_tokens") or 256),
                    temperature=float(asked.get("temperature", 1.0)),
                    top_p=float(asked.get("top_p", 1.0)),
                    top_k=int(asked.get("top_k", _CANDIDATES)),
                    min_p=float(asked.get("min_p", 0.0)),
                    penalty=float(asked.get("repeat_penalty", 1.0)),
                )
            except (KeyError, TypeError, ValueError) as error:
                self._reply(400, {"error": {"message": f"not understood: {error}"}})
                return
            try:
                written, reason = writer.ask(call)
            except NoRoomError as error:
                self._reply(400, {"error": {"message": str(error)}})
                return
            except Exception as error:
                self._reply(500, {"error": {"message": str(error)}})
                return
            content = str(writer.tokenizer.decode(written, skip_special_tokens=True))
            self._reply(200, self._completion(call, content, reason))

        def _completion(self, call: Call, content: str, reason: str) -> dict[str, Any]:
            inputs, outputs = len(call.tokens), len(call.written)
            return {
                "object": "chat.completion",
                "model": name,
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": reason,
                        "message": {"role": "assistant", "content": content},
                    }
                ],
                "usage": {
                    "prompt_tokens": inputs,
                    "completion_tokens": outputs,
                    "total_tokens": inputs + outputs,
                },
            }

        def _reply(self, status: int, value: dict[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    return Handler


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description="A chat endpoint that decodes calls together.")
    parser.add_argument("folder", help="of the model")
    parser.add_argument("--name", required=True, help="as the calls name it")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--batch", type=int, default=64, help="the most calls of a batch")
    parser.add_argument("--context", type=int, default=2048, help="tokens of a call and its answer")
    parser.add_argument("--batches", type=int, default=2, help="each on a thread of its own")
    parser.add_argument("--seed", type=int, default=42)
    options = parser.parse_args()
    # Batches on threads of their own are quicker than threads within a batch, and NumPy's BLAS
    # reads how many it may use before it is loaded.
    torch.set_num_threads(1)
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        parser.error("set OPENBLAS_NUM_THREADS=1 and OMP_NUM_THREADS=1")
    torch.manual_seed(options.seed)
    writers = [
        Writer(options.folder, options.batch, options.context) for _ in range(options.batches)
    ]
    for own in writers:
        threading.Thread(target=own.run, daemon=True).start()
    server = _Server(("127.0.0.1", options.port), _handler(writers, options.name))
    print(f"http://127.0.0.1:{options.port}/v1 serves {options.name}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
