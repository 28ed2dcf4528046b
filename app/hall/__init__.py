"""The hall: an audience that follows a lecture from its phones, votes, asks, and says where it is lost.

A hall is a log of events, which a store keeps; what phones and the lecturer see is computed from it in each process.
"""
