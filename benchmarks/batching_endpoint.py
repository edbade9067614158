"""A chat endpoint that lets a small language model write many documents at once.

Servers for one processor answer one call after the other, which takes a model of 135 million
parameters about five seconds a document on two cores. This one decodes waiting calls together:

    python -m benchmarks.batching_endpoint FOLDER --name SmolLM2-135M-Instruct --port 8000

FOLDER holds a causal language model with its chat template, as transformers saves one. Calls are
those of OpenAI's chat completions; `max_tokens`, `temperature`, `top_p`, and llama.cpp's `top_k`,
`min_p` and `repeat_penalty` (over the last 64 tokens that were written) are heeded, each call by
its own. It listens on this machine alone.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache

_LONGEST_BODY = 1_000_000
_PENALISED = 64
_CANDIDATES = 512
_WINDOW_SECONDS = 0.05


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


class Writer:
    """Decodes waiting calls together, those with the most alike allowances first.

    Parameters
    ----------
    folder : str
        Of the model.
    batch : int
        The most calls that are decoded together.
    """

    def __init__(self, folder: str, batch: int) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval()
        self.ends = {self.tokenizer.eos_token_id}
        self._batch = batch
        self._waiting: list[Call] = []
        self._changed = threading.Condition()

    def ask(self, call: Call) -> tuple[list[int], str]:
        """Wait for a call's tokens and the reason for their end."""
        with self._changed:
            self._waiting.append(call)
            self._changed.notify()
        return call.done.result()

    def run(self) -> None:
        """Decode for ever."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting))
            time.sleep(_WINDOW_SECONDS)
            with self._changed:
                # The oldest call comes with those whose allowance is most like its own.
                first = self._waiting[0]
                alike = sorted(self._waiting, key=lambda own: abs(own.most - first.most))
                calls = alike[: self._batch]
                self._waiting = [own for own in self._waiting if own not in calls]
            try:
                self._decode(calls)
            except Exception as error:
                for call in calls:
                    if not call.done.done():
                        call.done.set_exception(error)

    @torch.inference_mode()
    def _decode(self, calls: list[Call]) -> None:
        width = max(len(own.tokens) for own in calls)
        pad = self.tokenizer.pad_token_id or 0
        rows = [[pad] * (width - len(own.tokens)) + own.tokens for own in calls]
        mask = torch.tensor(
            [[0] * (width - len(own.tokens)) + [1] * len(own.tokens) for own in calls]
        )
        cache = DynamicCache(config=self.model.config)
        step, positions = torch.tensor(rows), (mask.cumsum(1) - 1).clamp(min=0)
        while calls:
            out = self.model(
                input_ids=step,
                attention_mask=mask,
                position_ids=positions,
                past_key_values=cache,
                logits_to_keep=1,
            )
            drawn = _drawn(out.logits[:, -1].float(), calls)
            left = []
            for row, (call, token) in enumerate(zip(calls, drawn.tolist(), strict=True)):
                if token in self.ends:
                    call.done.set_result((call.written, "stop"))
                    continue
                call.written.append(token)
                if len(call.written) >= call.most:
                    call.done.set_result((call.written, "length"))
                else:
                    left.append(row)
            if len(left) < len(calls):
                chosen = torch.tensor(left, dtype=torch.long)
                calls = [calls[row] for row in left]
                if not calls:
                    return
                cache.batch_select_indices(chosen)
                mask, positions, drawn = mask[chosen], positions[chosen], drawn[chosen]
            step, positions = drawn[:, None], positions[:, -1:] + 1
            mask = torch.cat([mask, mask.new_ones(len(calls), 1)], dim=1)


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


def _handler(writer: Writer, name: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            try:
                length = min(int(self.headers.get("content-length", 0)), _LONGEST_BODY)
                asked = json.loads(self.rfile.read(length))
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
            except Exception as error:
                self._reply(500, {"error": {"message": str(error)}})
                return
            self._reply(200, self._completion(call, written, reason))

        def _completion(self, call: Call, written: list[int], reason: str) -> dict[str, Any]:
            content = writer.tokenizer.decode(written, skip_special_tokens=True)
            inputs, outputs = len(call.tokens), len(written)
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
    parser.add_argument("--batch", type=int, default=48, help="the most calls of a batch")
    parser.add_argument("--threads", type=int, default=2, help="batches at once")
    parser.add_argument("--seed", type=int, default=42)
    options = parser.parse_args()
    # Batches on threads of their own are quicker on a busy machine than threads within a batch.
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    writer = Writer(options.folder, options.batch)
    for _ in range(options.threads):
        threading.Thread(target=writer.run, daemon=True).start()
    server = _Server(("127.0.0.1", options.port), _handler(writer, options.name))
    print(f"http://127.0.0.1:{options.port}/v1 serves {options.name}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
