"""A right solution of the exercise of the course."""

RIGHT = """
from collections import Counter
from itertools import pairwise


def most_frequent_pair(words):
    counts = Counter()
    for tokens, times in words.items():
        for pair in pairwise(tokens):
            counts[pair] += times
    return max(counts, key=counts.get)


def merge(tokens, pair):
    merged = []
    for token in tokens:
        if merged and (merged[-1], token) == pair:
            merged[-1] += token
        else:
            merged.append(token)
    return merged
"""
