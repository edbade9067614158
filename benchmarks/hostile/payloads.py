"""Texts that a browser, a spreadsheet or a terminal would take for more than text."""

from __future__ import annotations

SCRIPTS = (
    "<script>alert(1)</script>",
    "x<script src=//evil.example/x.js></script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "x' onmouseover='alert(1)",
    'x" onfocus="alert(1)" autofocus="',
    "javascript:alert(1)",
    "JaVaScRiPt :alert(1)",
    "data:text/html,alert(1)",
    "see [the model](javascript:alert(1))",
    "see [the model](https://evil.example)",
    "x</textarea><iframe src=//evil.example>",
    "${7*7}",
    "{{config}}",
    "`id`",
    "x\\u003cscript\\u003e",
    "&lt;script&gt;",
    "x<!--",
)
FORMULAS = (
    '=HYPERLINK("https://evil.example","x")',
    "=1+1",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "＝1+1",
    "＋1",
    "=WEBSERVICE(1)",
)
CONTROLS = (
    "x\x1b[2J",
    "x\x1b]0;owned\x07",
    "x\u202egpj.exe",
    "x\u2066y",
    "x\x00y",
    "x\x9b31m",
    "x\u2028y",
    "x\u200by",
    "x\ud800",
    "x\ue000",
)
LONG = ("a" * 100_000, "a " * 6_000, "é" * 20_000)

TEXTS = (*SCRIPTS, *FORMULAS, *CONTROLS, *LONG)
