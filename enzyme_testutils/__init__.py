"""Tests of derivatives against finite differences. There is nothing to import yet."""
