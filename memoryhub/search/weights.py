"""Weights of the reranker: written by ``bench.retrieval.fitting``."""

from __future__ import annotations

WORDS: dict[str, float] = {
    "score": 2.5909,
    "words_near": 0.9246,
    "words_around": 1.5121,
    "words_before": -0.6947,
    "words_after": -0.8970,
    "rarest": 0.4834,
    "rank": 0.6218,
    "length": 1.2808,
    "asks": -0.1763,
    "answers": 0.2051,
    "answers_words": 1.6124,
    "speaker": 0.8522,
    "other_speaker": -0.9089,
    "names": 2.0468,
    "file_score": 1.5547,
    "file_lines": -0.5562,
    "block_score": 0.6831,
    "on_day": 2.4627,
    "near_scores": 0.8810,
}

MEANING: dict[str, float] = {
    "score": 1.4391,
    "words_near": 0.8706,
    "words_around": 1.7118,
    "words_before": -0.8875,
    "words_after": -1.1558,
    "rarest": 0.1973,
    "rank": 0.4904,
    "length": 2.1407,
    "asks": -0.1840,
    "answers": 0.1084,
    "answers_words": 1.7033,
    "speaker": 0.9650,
    "other_speaker": -1.0241,
    "names": 2.1162,
    "file_score": 1.5549,
    "file_lines": -0.5787,
    "block_score": 0.8379,
    "on_day": 2.8692,
    "near_scores": 1.0891,
    "meaning": 1.4222,
    "meaning_near": 4.2034,
}
