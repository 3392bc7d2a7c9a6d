"""Published figures for the same set, with their sources. No figure needs a judge."""

from __future__ import annotations

#: Of sessions (a day's file is one): system, recall@5, recall@10, MRR, questions,
#: source. "any" is the share of questions with one session of the evidence.
SESSIONS = (
    ("basic-memory 0.21.6, BM25 + vectors", ".733", ".839", ".619", "cat. 1-4",
     "basic-memory#950"),
    ("mem0ai 2.0.5, local", ".791", ".891", ".648", "cat. 1-4", "basic-memory#950"),
    ("graph-memory, FTS in two stages", ".829", ".902", "-", "1,982",
     "adoresever/graph-memory#76"),
    ("deja-vu, words alone", "any .856", "-", "-", "1,982", "deja-vu PR#326"),
    ("MemPalace, hybrid", "-", ".889", "-", "1,986", "mempalace#2164"),
    ("Engram 0.1.3, bge-large + BM25 + MiniLM", "any .939", "any .950", "-", "1,982",
     "snap-research/locomo#38"),
)  # fmt: skip

#: Of turns (a line is one): system, recall@10, recall@20, hit@20, MRR, source.
TURNS = (
    ("loomcycle, bge-m3 vectors", ".668", "-", "-", ".503",
     "denn-gubsky/loomcycle PR#1064"),
    ("ConvMemory v1+v2, learned reranker", ".780", "-", "-", ".656",
     "convmemory 0.7.0 on PyPI"),
    ("mxbai-rerank-large over 500", ".808", "-", "-", ".669",
     "convmemory 0.7.0 on PyPI"),
    ("memkeeper, hybrid + ColBERT, 8,000 characters", "-", ".784", ".894", ".666",
     "memkeeper.ai/blog"),
)  # fmt: skip


def table() -> str:
    """Return the figures as a Markdown table."""
    heads = (
        ("sessions", "recall@5", "recall@10", "MRR", "questions", "source"),
        ("turns", "recall@10", "recall@20", "hit@20", "MRR", "source"),
    )
    parts = []
    for head, rows in zip(heads, (SESSIONS, TURNS), strict=True):
        lines = [head, ("---",) * len(head), *rows]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join(parts)
