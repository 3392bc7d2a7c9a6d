"""Quality of the import: its rows compared with labels written by hand."""
