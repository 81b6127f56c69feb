"""Plexus: an embeddable graph engine for the memory of agents.

    import plexus

    with plexus.open("memory-graph") as graph:
        graph.remember("Deploys stop on Fridays.", tags=["deploy"])
        print(graph.recall("when do we deploy")["hits"][0]["text"])
"""

from ._graph import Graph, call_at, in_memory, open
from ._library import Cancel, lib as _lib
from ._reply import Reply
from ._snapshot import NO_NODE, Csr, Snapshot
from .errors import (
    AlreadyExists, Cancelled, Conflict, Corruption, Error, FailedPrecondition, Internal,
    InvalidArgument, Io, Locked, NotFound, ReadOnly, ResourceExhausted, Unsupported,
)

__version__ = _lib.plexus_version().decode()
__all__ = [
    "AlreadyExists", "Cancel", "Cancelled", "Conflict", "Corruption", "Csr", "Error",
    "FailedPrecondition", "Graph", "Internal", "InvalidArgument", "Io", "Locked", "NO_NODE",
    "NotFound", "ReadOnly", "Reply", "ResourceExhausted", "Snapshot", "Unsupported", "call_at",
    "in_memory", "open",
]
