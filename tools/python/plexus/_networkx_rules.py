"""Which arguments Plexus takes from NetworkX's functions; others are left to NetworkX."""

import functools
import inspect
import math
from collections.abc import Collection

from ._networkx_graph import PlexusGraph

RULES = {}  # by name of a function: its signature, and which arguments Plexus takes


def can_run(name, args, kwargs):
    signature, values, kinds = RULES[name]
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError:
        return False
    given.apply_defaults()
    graph = given.arguments["G"]
    if getattr(graph, "__networkx_backend__", "networkx") not in ("networkx", "plexus"):
        return False
    if "undirected" in kinds and graph.is_directed() or "simple" in kinds and (
            graph.is_multigraph() or _has_self_loops(graph)):
        return False
    try:
        return all(
            allowed(given.arguments[parameter]) if callable(allowed)
            else given.arguments[parameter] is allowed for parameter, allowed in values.items())
    except (ArithmeticError, AttributeError, TypeError, ValueError):  # of another type
        return False


def _has_self_loops(graph):
    if isinstance(graph, PlexusGraph):
        return graph.self_loops
    return any(node in graph[node] for node in graph)


def takes(*kinds, **values):
    """The arguments that Plexus takes; others are left to NetworkX. `kinds`: of graphs,
    "undirected", "simple" (neither a multigraph nor self-loops)."""
    def named(function):
        name = function.__name__
        RULES[name] = inspect.signature(function), values, kinds

        @functools.wraps(function)
        def checked(*args, **kwargs):  # NetworkX 3.2 asks can_run for its own graphs alone
            if not can_run(name, args, kwargs):
                raise NotImplementedError("%s: Plexus does not take these arguments" % name)
            return function(*args, **kwargs)
        return checked
    return named


def is_number(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def is_cutoff(value):
    return value is None or value >= 0


def is_name(value):  # of an attribute, and no function
    return isinstance(value, str)


def is_name_or_none(value):
    return value is None or isinstance(value, str)


def may_start(values):  # where the iteration begins
    return values is None or sum(values.values()) != 0


def may_prefer(values):
    return values is None or isinstance(values, dict) and all(
        is_number(value) and value >= 0 for value in values.values())


def are_pairs(pairs):  # NetworkX must be able to read them once more
    return isinstance(pairs, Collection) and all(u != v for u, v in pairs)
