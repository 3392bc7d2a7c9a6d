"""Folders on this machine that agents' programs keep memory in.

Names, sizes and times are read, contents never.
"""
