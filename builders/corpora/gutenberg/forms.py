"""The form of a work, where a subject heading makes it clear."""

from __future__ import annotations

from collections.abc import Iterable

# The last subdivision of a heading -> the genre/form term of the benchmark.
_FORMS = {
    "abstracts": "Abstracts",
    "atlases": "Atlases",
    "bibliography": "Reference works",
    "biography": "Biographies",
    "case studies": "Case studies",
    "cases": "Casebooks (Law)",
    "comic books, strips, etc.": "Comics (Graphic works)",
    "congresses": "Conference papers and proceedings",
    "criticism and interpretation": "Criticism",
    "debates": "Debates",
    "diaries": "Diaries",
    "dictionaries": "Reference works",
    "directories": "Reference works",
    "drama": "Drama",
    "encyclopedias": "Reference works",
    "examinations, questions, etc.": "Examinations",
    "fiction": "Fiction",
    "gazetteers": "Reference works",
    "handbooks, manuals, etc.": "Handbooks and manuals",
    "humor": "Humor",
    "indexes": "Reference works",
    "interviews": "Interviews",
    "juvenile drama": "Drama",
    "juvenile fiction": "Fiction",
    "juvenile poetry": "Poetry",
    "maps": "Maps",
    "personal narratives": "Personal narratives",
    "poetry": "Poetry",
    "prayers and devotions": "Devotional literature",
    "sermons": "Sermons",
    "songs and music": "Songs",
    "statistics": "Statistics",
    "study guides": "Study guides",
    "textbooks": "Textbooks",
    "treaties": "Treaties",
}
# Forms that stand in more than one category are left out: their category stays open.
_CATEGORIES = {
    "Abstracts": "Informational works",
    "Atlases": "Cartographic materials",
    "Case studies": "Informational works",
    "Casebooks (Law)": "Law materials",
    "Comics (Graphic works)": "Literature",
    "Conference papers and proceedings": "Informational works",
    "Criticism": "Discursive works",
    "Debates": "Discursive works",
    "Devotional literature": "Religious materials",
    "Diaries": "Creative nonfiction",
    "Drama": "Literature",
    "Examinations": "Instructional and educational works",
    "Fiction": "Literature",
    "Handbooks and manuals": "Instructional and educational works",
    "Humor": "Recreational works",
    "Poetry": "Literature",
    "Reference works": "Informational works",
    "Sermons": "Religious materials",
    "Songs": "Music",
    "Statistics": "Informational works",
    "Study guides": "Instructional and educational works",
    "Textbooks": "Instructional and educational works",
    "Treaties": "Law materials",
}


def form_of(subjects: Iterable[str]) -> tuple[str | None, str | None]:
    """Read category and form of a work from its subject headings.

    Parameters
    ----------
    subjects : iterable of str
        Library of Congress Subject Headings, subdivided by ` -- `.

    Returns
    -------
    tuple of (str or None, str or None)
        Category and form. Both are None if no heading ends in a form, or if the headings end in
        different forms; the category alone is None if the form stands in several categories.

    Examples
    --------
    >>> form_of(["Whales -- Juvenile fiction", "Sea stories"])
    ('Literature', 'Fiction')
    >>> form_of(["Statesmen -- Great Britain -- Biography"])
    (None, 'Biographies')
    >>> form_of(["Historical fiction -- History and criticism"])
    (None, None)
    """
    found = set()
    for subject in subjects:
        _, mark, last = subject.rpartition(" -- ")
        if mark and (form := _FORMS.get(last.strip().casefold())):
            found.add(form)
    if len(found) != 1:
        return None, None
    form = found.pop()
    return _CATEGORIES.get(form), form
