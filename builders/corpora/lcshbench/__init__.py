"""The natural corpus `transfer_lcshbench`: catalogue records of LCSHBench, in English.

LCSHBench v1.0 (CC0) is the dataset `kltng/lcshbench` on the Hugging Face Hub, its code the
repository of the same name on GitHub. `dev/dev.jsonl` has 18,993 records and `test/test.jsonl`
3,353, one JSON object a line. Both come from `scripts/build_release_v1.py` over
`src/lcsh_benchmark/scaleup/assemble.py`, which give a record these fields, all of them always:

- `id`: 16 hexadecimal digits of a hash; `oclc` and `lccn` are taken out;
- `language_code` (`eng`) and `language` (`English`);
- `lc_class`: the first letter of MARC field 050 or 090, empty where that is none of the 21;
- `title` (subfield a of 245, so without its subtitle and with its punctuation), `abstract` (520),
  `toc` (505), `notes` (500), `date`, `publisher`, `physical_description`, `title_vernacular`:
  text, empty where there is none;
- `authors` (names of 1xx, then of 7xx, without dates, ten at most), `authors_vernacular`: lists;
- `catalogs` (a sorted list of `columbia`, `harvard`, `princeton`), `catalog_count`, `n_agencies`;
- `field_provenance`: which catalogue a field was taken from;
- in dev only: `ground_truth_lcsh`, `ground_truth_lcsh_merged`, `ground_truth_lcsh_unanimous` and
  `heading_types`. The subject headings of the test file are published as hashes; its classes are
  in the open.
"""
