"""A town library's own vocabularies: classes with their topics in Turtle, places in RDF/XML."""

from __future__ import annotations

CLASSES = {
    "S1": "Gardens",
    "S2": "Kitchens",
    "S3": "Workshops",
    "S4": "Harbours",
    "S5": "Lace",
}
"""Of the classes by notation: what is deprecated and what has no English label is none."""

TOPICS = {
    "S1": {"Compost", "Orchards", "Hedges"},
    "S2": {"Bread", "Soups", "Pickles"},
    "S3": {"Planes (Tools)", "Glue"},
    "S4": {"Ferries", "Breakwaters", "Signal flags"},
    "S5": {"Bobbins"},
}
"""What lies below each class."""

REGIONS = {
    "Northern hundred": {"Abbing", "Brough", "Crakehall", "Dunholme"},
    "Southern hundred": {"Elmstow", "Fernley", "Garth", "Holt"},
}
"""Places by what is on top of them."""

LICENCE = "https://creativecommons.org/publicdomain/zero/1.0/"
SCHEME = "https://library.example/town/shelves"

CIRCLE = "\n:s1 skos:broader :t11 .\n"
"""A statement that puts a class below its own topic."""

TURTLE = f"""
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix : <https://library.example/town/> .

<{SCHEME}> a skos:ConceptScheme ;
    skos:prefLabel "Town library shelves"@en , "Kaupunginkirjaston hyllyt"@fi ;
    dct:license <{LICENCE}> .

# A definition that begins with its own label.
:s1 a skos:Concept ; skos:inScheme :shelves ; skos:notation "S1" ;
    skos:prefLabel "Gardens"@en , "Puutarhat"@fi ;
    skos:definition "Gardens are plots of soil that are dug, planted and weeded."@en .
# One that names a sibling.
:s2 a skos:Concept ; skos:inScheme :shelves ; skos:notation "S2" ;
    skos:prefLabel "Kitchens"@en , "Keittiöt"@fi , "Küchen"@de ;
    skos:definition "Rooms with stoves and pans where meals are made, unlike workshops."@en .
# A scope note, with a direction that names a sibling.
:s3 a skos:Concept ; skos:inScheme :shelves ; skos:notation "S3" ;
    skos:prefLabel "Workshops"@en , "Verstaat"@fi ;
    skos:scopeNote
    "Here are entered works on benches, lathes and mended tools. For ovens see Kitchens."@en .
# Nothing but what lies below.
:s4 a skos:Concept ; skos:inScheme :shelves ; skos:notation "S4" ;
    skos:prefLabel "Harbours"@en-GB , "Harbors"@en-US , "Satamat"@fi .
# A definition of which nothing is left.
:s5 a skos:Concept ; skos:inScheme :shelves ; skos:notation "S5" ;
    skos:prefLabel "Lace"@en ; skos:definition "Lace."@en .
# No English label; deprecated.
:s6 a skos:Concept ; skos:inScheme :shelves ; skos:prefLabel "Vuoret"@fi , "Berge"@de .
:s7 a skos:Concept ; skos:inScheme :shelves ; owl:deprecated true ; skos:prefLabel "Telegraphs"@en .

:t11 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s1 ; skos:prefLabel "Compost"@en ;
    skos:definition "Rotted leaves and peelings that feed the soil of orchards."@en .
:t12 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s1 ; skos:prefLabel "Orchards"@en ;
    skos:definition "Rows of apple and pear trees."@en .
:t13 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s1 ; skos:prefLabel "Hedges"@en .
:t21 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s2 ; skos:prefLabel "Bread"@en .
:t22 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s2 ; skos:prefLabel "Soups"@en ;
    skos:definition "Broths, stews and purées (soups of all kinds)."@en .
:t23 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s2 ; skos:prefLabel "Pickles"@en .
:t31 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s3 ;
    skos:prefLabel "Planes (Tools)"@en .
:t32 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s3 ; skos:prefLabel "Glue"@en .
:t41 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s4 ; skos:prefLabel "Ferries"@en .
:t42 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s4 ; skos:prefLabel "Breakwaters"@en .
:t43 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s7 , :s4 ;
    skos:prefLabel "Signal flags"@en .
:t51 a skos:Concept ; skos:inScheme :shelves ; skos:broader :s5 ; skos:prefLabel "Bobbins"@en .
""".replace(":inScheme :shelves", f":inScheme <{SCHEME}>")


def rdf_xml() -> str:
    """The places, each below its region."""
    rows = [_concept(region) for region in REGIONS]
    rows += [_concept(own, region) for region, places in REGIONS.items() for own in sorted(places)]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:skos="http://www.w3.org/2004/02/skos/core#">\n'
        f"{''.join(rows)}</rdf:RDF>\n"
    )


def _concept(label: str, region: str | None = None) -> str:
    above = f'<skos:broader rdf:resource="{_address(region)}"/>' if region else ""
    return (
        f'<skos:Concept rdf:about="{_address(label)}">'
        f'<skos:prefLabel xml:lang="en">{label}</skos:prefLabel>'
        f'<skos:prefLabel xml:lang="fi">{label[::-1]}</skos:prefLabel>{above}</skos:Concept>\n'
    )


def _address(label: str) -> str:
    return f"https://library.example/places/{label.replace(' ', '-')}"
