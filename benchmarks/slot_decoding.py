"""A Llama-shaped model on processors that writes many texts at once, each in a slot of its own.

The keys and values of every slot stand in one table that is made once: a text that ends makes room
for another, and what two prompts have in common at their start is computed once. Matrices are
multiplied by NumPy, whose BLAS is up to twice as fast as PyTorch's on some processors, in 32 bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional
from transformers import AutoModelForCausalLM

_BESIDE = 8  # slots whose attention is computed together, as long as the longest of them


class Slot(NamedTuple):
    """A prompt and where it goes.

    Attributes
    ----------
    number : int
        Of the slot.
    tokens : list of int
        The prompt.
    known : int
        How many of them the slot holds already; fewer than there are.
    """

    number: int
    tokens: list[int]
    known: int = 0


class _Product:
    """Multiplies by the transpose of matrices that stand one below the other."""

    def __init__(self, *weights: torch.Tensor) -> None:
        self._weights = np.ascontiguousarray(torch.cat(weights).float().numpy())

    def __call__(self, rows: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(rows.numpy() @ self._weights.T)


class _Layer(NamedTuple):
    before_attention: torch.Tensor
    queries_keys_values: _Product
    attended: _Product
    before_widening: torch.Tensor
    gate_and_up: _Product
    down: _Product


class SlotModel:
    """The model and the slots that it writes in.

    Parameters
    ----------
    folder : str
        A causal language model of Llama's shape, as transformers saves one.
    slots : int
        The most texts at once.
    context : int
        The most tokens of a prompt and its text together.
    """

    def __init__(self, folder: str, slots: int, context: int) -> None:
        model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        config = model.config
        if config.model_type != "llama" or config.attention_bias or config.mlp_bias:
            raise ValueError(f"{folder}: only models of Llama's shape, without biases, can be read")
        self.slots, self.context = slots, context
        self._heads, self._shared = config.num_attention_heads, config.num_key_value_heads
        self._width = config.head_dim
        self._layers = [_layer(own) for own in model.model.layers]
        self._embedding = model.model.embed_tokens.weight.data
        self._last_norm, self._epsilon = model.model.norm.weight.data, config.rms_norm_eps
        self._head = _Product(model.lm_head.weight.data)
        with torch.inference_mode():
            places = torch.arange(context)[None]
            self._turns = [own[0] for own in model.model.rotary_emb(self._embedding, places)]
        shape = (len(self._layers), slots, self._shared, context, self._width)
        self._keys, self._values = torch.zeros(shape), torch.zeros(shape)

    def copy(self, source: int, target: int, tokens: int) -> None:
        """Give a slot the first tokens of another."""
        for table in (self._keys, self._values):
            table[:, target, :, :tokens] = table[:, source, :, :tokens]

    @torch.inference_mode()
    def read(self, prompts: Sequence[Slot]) -> torch.Tensor:
        """Put prompts into their slots.

        Returns
        -------
        torch.Tensor of shape (len(prompts), vocabulary)
            What may come after each.
        """
        ends = np.cumsum([len(own.tokens) - own.known for own in prompts])
        new = [token for own in prompts for token in own.tokens[own.known :]]
        places = torch.cat([torch.arange(own.known, len(own.tokens)) for own in prompts])

        def attend(
            number: int, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
        ) -> torch.Tensor:
            found = []
            for own, end in zip(prompts, ends, strict=True):
                whole = len(own.tokens)
                part = slice(end - (whole - own.known), end)
                for table, rows in ((self._keys, keys), (self._values, values)):
                    table[number, own.number, :, own.known : whole] = rows[part].transpose(0, 1)
                is_before = torch.arange(whole)[None] <= places[part][:, None]
                groups = self._heads // self._shared
                attended = functional.scaled_dot_product_attention(
                    queries[part].transpose(0, 1),
                    *(
                        table[number, own.number, :, :whole].repeat_interleave(groups, 0)
                        for table in (self._keys, self._values)
                    ),
                    attn_mask=is_before,
                )
                found.append(attended.transpose(0, 1).flatten(1))
            return torch.cat(found)

        rows = self._through(torch.tensor(new), places, attend)
        return self._next(rows[torch.from_numpy(ends) - 1])

    @torch.inference_mode()
    def step(self, tokens: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Write one more token into each of the first slots.

        Parameters
        ----------
        tokens, places : torch.Tensor of shape (n,), dtype int64
            What is written, and how many tokens stand before it in its slot.

        Returns
        -------
        torch.Tensor of shape (n, vocabulary)
            What may come after each.
        """
        count = len(tokens)
        numbers = torch.arange(count)
        mask = torch.arange(int(places.max()) + 1)[None] <= places[:, None]
        mask = torch.where(mask, 0.0, -math.inf)[:, None, None]
        beside = [slice(start, min(start + _BESIDE, count)) for start in range(0, count, _BESIDE)]

        def attend(
            number: int, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
        ) -> torch.Tensor:
            own_keys, own_values = self._keys[number], self._values[number]
            own_keys[numbers, :, places], own_values[numbers, :, places] = keys, values
            scaled = (queries / math.sqrt(self._width)).view(count, self._shared, -1, self._width)
            found = torch.empty_like(scaled)
            for part in beside:
                longest = int(places[part].max()) + 1
                scores = scaled[part] @ own_keys[part, :, :longest].transpose(-1, -2)
                shares = (scores + mask[part, ..., :longest]).softmax(-1)
                found[part] = shares @ own_values[part, :, :longest]
            return found.flatten(1)

        return self._next(self._through(tokens, places, attend))

    def _through(self, tokens: torch.Tensor, places: torch.Tensor, attend: Any) -> torch.Tensor:
        """All layers; `attend` is given the number of the layer, queries, keys and values."""
        rows = self._embedding[tokens]
        cosine, sine = (own[places][:, None] for own in self._turns)
        inner, outer = self._heads * self._width, self._shared * self._width
        for number, own in enumerate(self._layers):
            projected = own.queries_keys_values(self._normed(rows, own.before_attention))
            queries, keys, values = (
                part.reshape(len(rows), -1, self._width)
                for part in projected.split((inner, outer, outer), dim=1)
            )
            queries, keys = (part * cosine + _turned(part) * sine for part in (queries, keys))
            rows = rows + own.attended(attend(number, queries, keys, values))
            gate, up = own.gate_and_up(self._normed(rows, own.before_widening)).chunk(2, dim=1)
            rows = rows + own.down(functional.silu(gate) * up)
        return rows

    def _next(self, rows: torch.Tensor) -> torch.Tensor:
        return self._head(self._normed(rows, self._last_norm))

    def _normed(self, rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return functional.rms_norm(rows, (rows.shape[-1],), weight, self._epsilon)


def _layer(own: Any) -> _Layer:
    attention, widening = own.self_attn, own.mlp
    projections = (attention.q_proj, attention.k_proj, attention.v_proj)
    return _Layer(
        own.input_layernorm.weight.data,
        _Product(*(part.weight.data for part in projections)),
        _Product(attention.o_proj.weight.data),
        own.post_attention_layernorm.weight.data,
        _Product(widening.gate_proj.weight.data, widening.up_proj.weight.data),
        _Product(widening.down_proj.weight.data),
    )


def _turned(part: torch.Tensor) -> torch.Tensor:
    first, second = part.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)
