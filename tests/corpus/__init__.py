"""Tests of app/corpus."""
