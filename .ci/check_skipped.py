"""Fail when the set of skipped tests differs from the committed list."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def skipped_tests(report: Path) -> set[str]:
    """Names of the tests that a JUnit report says were skipped."""
    return {
        f"{case.get('classname')}::{case.get('name')}"
        for case in ET.parse(report).iter("testcase")  # noqa: S314 - our own report
        if case.find("skipped") is not None
    }


def main() -> None:
    """Compare the report with the list, both named on the command line."""
    report, expected = map(Path, sys.argv[1:3])
    found = skipped_tests(report)
    known = {line for line in expected.read_text().splitlines() if line}
    for name in sorted(found - known):
        sys.stdout.write(f"skipped, but not on {expected}: {name}\n")
    for name in sorted(known - found):
        sys.stdout.write(f"on {expected}, but not skipped: {name}\n")
    sys.exit(found != known)


if __name__ == "__main__":
    main()
