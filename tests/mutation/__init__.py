"""Mutation tests: small breaks of the product, each of which a test has to notice."""
