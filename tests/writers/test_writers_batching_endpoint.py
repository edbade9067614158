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

    return Writer(str(folder), 3, context=64)


PROMPTS = [[5], [7, 9, 30, 41], [11, 12], list(range(20, 40)), [7, 9, 30, 41, 6], [5]]


def write(writer, calls) -> None:
    """As the thread of a writer would, until all calls have ended."""
    writer._waiting += calls
    while writer.load:
        writer.go_on()


def test_calls_of_any_length_get_together_what_they_get_alone(writer):
    # There are fewer slots than calls: some begin when others have ended.
    together = [coldest(tokens, 5 + 7 * n) for n, tokens in enumerate(PROMPTS)]
    write(writer, list(together))
    written = []
    for call in together:
        alone = coldest(call.tokens, call.most)
        write(writer, [alone])
        assert call.done.result() == alone.done.result()
        written.append(tuple(call.done.result()[0]))
    assert len(set(written)) == len(PROMPTS)


def test_without_chance_it_writes_what_transformers_writes(writer, folder):
    model = transformers.LlamaForCausalLM.from_pretrained(folder)
    for tokens in PROMPTS:
        call = coldest(tokens, 12)
        write(writer, [call])
        ids = torch.tensor([tokens])
        wanted = model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False
        )[0, len(tokens) :].tolist()
        written, reason = call.done.result()
        assert written == [token for token in wanted if token != 1]
        assert reason == ("stop" if 1 in wanted else "length")


def test_a_call_that_has_no_room_is_refused(writer):
    with pytest.raises(ValueError, match="60 tokens and an answer of 5 are more than 64"):
        writer.ask(coldest([5] * 60, 5))


def test_a_model_of_another_shape_is_refused(tmp_path):
    from benchmarks.slot_decoding import SlotModel

    config = transformers.LlamaConfig(
        vocab_size=8, hidden_size=8, intermediate_size=8, num_hidden_layers=1,
        num_attention_heads=1, attention_bias=True,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="only models of Llama's shape"):
        SlotModel(str(tmp_path), 1, 8)


def test_the_penalty_is_on_what_was_written_alone(writer):
    from benchmarks.batching_endpoint import _drawn

    logits = torch.tensor([[0.0] * len(WORDS)])
    logits[0, 5], logits[0, 6] = 2.0, 1.9
    call = coldest([5], 4, penalty=1.5)
    assert _drawn(logits.clone(), [call]).tolist() == [5]
    call.written.append(5)
    assert _drawn(logits.clone(), [call]).tolist() == [6]
