"""A specification: one value of each facet, named by the hash of all of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Specification:
    """What a document is to be about, what kind it is, for whom and how it is written.

    Attributes
    ----------
    lcc_code, lcc_name : str
        Subject class.
    lcgft_category, lcgft_form : str
        Kind of document.
    topics : tuple of str
        One to four headings from the class's domains.
    geographic : tuple of str
        No, one or two places, two of them of one region.
    audience : str or None
        For whom.
    register, target_length : str
        Ids of the taxonomy.
    prompt_variant : str or None
        Variant of the prompt; None where the writer takes no prompt.
    block_id : str
        The block it was drawn in; not part of its identity.
    """

    lcc_code: str
    lcc_name: str
    lcgft_category: str
    lcgft_form: str
    topics: tuple[str, ...]
    geographic: tuple[str, ...]
    audience: str | None
    register: str
    target_length: str
    prompt_variant: str | None
    block_id: str

    @property
    def spec_id(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of the facets' canonical JSON.

        Sorted keys, no spaces, ASCII escapes, with a schema number of "1", as in the published
        data, so that equal specifications have equal ids everywhere.
        """
        facets = {
            "schema": "1",
            "lcc_code": self.lcc_code,
            "lcc_name": self.lcc_name,
            "lcgft_form": self.lcgft_form,
            "lcgft_category": self.lcgft_category,
            "topics": list(self.topics),
            "target_length": self.target_length,
            "register": self.register,
            "audience": self.audience,
            "geographic": list(self.geographic),
            "prompt_variant": self.prompt_variant,
        }
        text = json.dumps(facets, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
