"""The endpoint that decodes calls together writes what each call alone would get."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")

WORDS = ["<pad>", "<end>", *(f"w{number}" for number in range(62))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    own = tmp_path_factory.mktemp("model")
    words = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="w0"))
    words.pre_tokenizer = Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<end>", unk_token="w0"
    ).save_pretrained(own)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        # So that what is written differs between calls.
        initializer_range=0.5,
        eos_token_id=1,
        pad_token_id=0,
        bos_token_id=None,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(own)
    return own


def coldest(tokens, most, penalty=1.0):
    from benchmarks.batching_endpoint import Call

    return Call(tokens, most, temperature=1e-4, top_p=1.0, top_k=1, min_p=0.0, penalty=penalty)


@pytest.fixture(scope="module")
def writer(folder: Path):
    from benchmarks.batching_endpoint import Writer

    own = Writer(str(folder), 8)
    own.model.float()
    return own


PROMPTS = [[5], [7, 9, 30, 41], [11, 12], list(range(20, 40))]


def test_calls_of_any_length_get_together_what_they_get_alone(writer):
    together = [coldest(tokens, 5 + 7 * n) for n, tokens in enumerate(PROMPTS)]
    writer._decode(list(together))
    written = []
    for call in together:
        alone = coldest(call.tokens, call.most)
        writer._decode([alone])
        assert call.done.result() == alone.done.result()
        written.append(tuple(call.done.result()[0]))
    assert len(set(written)) == len(PROMPTS)


def test_without_chance_it_writes_what_transformers_writes(writer):
    for tokens in PROMPTS:
        call = coldest(tokens, 12)
        writer._decode([call])
        ids = torch.tensor([tokens])
        wanted = writer.model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False
        )[0, len(tokens) :].tolist()
        written, reason = call.done.result()
        assert written == [token for token in wanted if token != 1]
        assert reason == ("stop" if 1 in wanted else "length")


def test_the_penalty_is_on_what_was_written_alone(writer):
    from benchmarks.batching_endpoint import _drawn

    logits = torch.tensor([[0.0] * len(WORDS)])
    logits[0, 5], logits[0, 6] = 2.0, 1.9
    call = coldest([5], 4, penalty=1.5)
    assert _drawn(logits.clone(), [call]).tolist() == [5]
    call.written.append(5)
    assert _drawn(logits.clone(), [call]).tolist() == [6]
