"""Algorithms of Plexus for NetworkX's dispatch: networkx.pagerank(graph, backend="plexus").

NetworkX 3.2 and later find it as an entry point. A graph is copied into one in RAM (from_networkx);
keep the copy for several calls. NetworkX may keep its copies too, one in RAM for each name of
weights. What Plexus lacks, such as some arguments, is left to NetworkX.
"""

import array
import math

import networkx

from ._networkx_graph import DIRECTED, PlexusGraph, from_networkx  # noqa: F401
from ._networkx_rules import (RULES, are_pairs, can_run, is_cutoff, is_name,  # noqa: F401
                              is_name_or_none, is_number, may_prefer, may_start, takes)
from .errors import InvalidArgument

# --- what NetworkX calls


def convert_from_nx(graph, edge_attrs=None, preserve_edge_attrs=False, **_other):
    if preserve_edge_attrs:
        raise NotImplementedError("all attributes of edges are asked for")
    weight, default = next(iter((edge_attrs or {None: 1}).items()))
    return PlexusGraph(graph, weight, 1 if default is None else default)


def convert_to_nx(result, **_other):
    return result.to_networkx() if isinstance(result, PlexusGraph) else result


def should_run(_name, args, _kwargs):
    return not args or len(args[0]) > 100  # a smaller one is not worth its copy


# --- what several functions use


def _weighted(G, weight):
    """Whether the weights of the copy count: it must have those that are asked for."""
    if weight is None:
        if G.is_multigraph() and G.weight is not None:
            raise NotImplementedError(
                "the copy has sums of weights, no numbers of edges: from_networkx(g, weight=None)")
        return G.is_multigraph()
    if weight != G.weight:
        raise networkx.NetworkXError("the copy has the weights %r: from_networkx(g, weight=%r)" % (
            G.weight, weight))
    return True


def _of_nodes(G, nodes, found):
    """The value of one node, or a dict of those asked for."""
    if nodes is None:
        return found
    if nodes in G:
        return found[nodes]
    try:
        return {node: found[node] for node in nodes if node in found}
    except TypeError as wrong:
        raise networkx.NetworkXError("%r is no node of the graph, and no nodes" % (
            nodes,)) from wrong


# --- centrality


@takes(alpha=lambda a: is_number(a) and 0 <= a < 1, personalization=may_prefer,
       nstart=may_start, dangling=None, weight=is_name_or_none, max_iter=lambda n: n >= 50)
def pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1.0e-6, nstart=None,
             weight="weight", dangling=None):
    seeds = weights = None
    weighted = _weighted(G, weight)
    if len(G) == 0:
        return {}
    if personalization is not None:
        named = {G.numbers[n]: w for n, w in personalization.items() if n in G and w != 0}
        if not named:
            raise ZeroDivisionError("personalization has no node of the graph")
        snapshot = G.graph.snapshot()
        seeds = snapshot.find([str(number) for number in named])
        weights = array.array("d", named.values())
    else:
        snapshot = G.graph.snapshot()
    try:
        scores = snapshot.pagerank(damping=alpha, weighted=weighted, seeds=seeds,
                                   seed_weights=weights)
    except InvalidArgument as refused:
        raise NotImplementedError(str(refused)) from refused
    found = dict.fromkeys(G.nodes, 0.0)
    for key, score in zip(snapshot.keys(), scores):
        found[G.node(key)] = float(score)
    return found


@takes("simple", k=None, weight=None, endpoints=False)
def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    rows = G.ask("betweenness", top=0, directed=G.is_directed())["results"]
    return G.values(rows, "share" if normalized and len(G) > 2 else "score", 0.0)


@takes("simple", distance=None)
def closeness_centrality(G, u=None, distance=None, wf_improved=True):
    asked = {"samples": max(len(G), 1)} if u is None else {"of": [G.key(u)]}
    rows = G.ask("closeness", top=0, direction="in" if G.is_directed() else "both",
                 unscaled=not wf_improved, **asked)["results"]
    found = G.values(rows, "closeness", 0.0)
    return found if u is None else found[u]


@takes("simple", nbunch=None, distance=None, sources=None)
def harmonic_centrality(G, nbunch=None, distance=None, sources=None):
    rows = G.ask("closeness", top=0, direction="in" if G.is_directed() else "both", harmonic=True,
                 samples=max(len(G), 1))["results"]
    return G.values(rows, "harmonic", 0)


@takes("simple", alpha=lambda a: is_number(a) and a > 0,
       beta=lambda b: is_number(b) and b != 0, nstart=None,
       weight=is_name_or_none, max_iter=lambda n: n >= 50)
def katz_centrality(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1.0e-6, nstart=None,
                    normalized=True, weight=None):
    if len(G) == 0:
        return {}
    reply = G.ask("katz", top=0, alpha=alpha, iterations=max_iter,
                  unweighted=not _weighted(G, weight))
    if not reply["converged"]:
        raise networkx.PowerIterationFailedConvergence(max_iter)
    factor = math.copysign(1, beta) if normalized else beta
    field = "normalized" if normalized else "score"
    return {n: factor * score for n, score in G.values(reply["results"], field, 0.0).items()}


@takes("simple", nstart=None, weight=is_name_or_none, max_iter=lambda n: n >= 50)
def eigenvector_centrality(G, max_iter=100, tol=1.0e-6, nstart=None, weight=None):
    if len(G) == 0:
        raise networkx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    reply = G.ask("eigenvector", top=0, unweighted=not _weighted(G, weight))
    if not reply["converged"] or reply["acyclic"]:
        raise NotImplementedError("there is no such vector, or it was not found")
    return G.values(reply["results"], "score", 0.0)


# --- components


def _components(G, strong=False):
    rows = G.ask("components", strong=strong, top=0, members=0)["results"]
    numbers = [sorted(int(key) for key in row["members"]) for row in rows]
    if not strong:
        numbers.sort()  # as NetworkX finds them; strong ones: the largest first
    return [{G.nodes[number] for number in members} for members in numbers]


def _component_functions(prefix, strong, about):
    """components, their number, and whether there is one."""
    def components(G):
        return iter(_components(G, strong))

    def number(G):
        return len(_components(G, strong))

    def is_one(G):
        if len(G) == 0:
            raise networkx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
        return len(_components(G, strong)) == 1

    words = prefix + "connected"
    for name, function in ((words + "_components", components),
                           ("number_" + words + "_components", number), ("is_" + words, is_one)):
        function.__name__ = name
        globals()[name] = takes(*about)(function)


_component_functions("", False, ("undirected",))
_component_functions("weakly_", False, ())
_component_functions("strongly_", True, ())


@takes("undirected")
def node_connected_component(G, n):
    G.numbers[n]  # KeyError, as NetworkX has it
    return _reached(G, n, "both")


@takes("simple", "undirected")
def articulation_points(G):
    return iter([G.node(row["key"]) for row in G.ask("cuts", top=0)["nodes"]])


@takes("simple", "undirected", root=None)
def bridges(G, root=None):
    return iter([(G.node(row["source"]), G.node(row["target"]))
                 for row in G.ask("cuts", top=0)["edges"]])


@takes("simple", "undirected")
def biconnected_components(G):
    blocks = G.ask("cuts", blocks=True, top=0)["components"]
    return iter([{G.node(key) for key in block} for block in blocks])


@takes()
def is_directed_acyclic_graph(G):
    return G.is_directed() and G.ask("topo", kinds=DIRECTED, top=1)["acyclic"]


# --- neighbourhoods


@takes("simple", "undirected")
def triangles(G, nodes=None):
    return _of_nodes(G, nodes, G.values(G.ask("triangles", top=0)["results"], "triangles", 0))


@takes("simple", "undirected", weight=None)
def clustering(G, nodes=None, weight=None):
    return _of_nodes(G, nodes, G.values(G.ask("triangles", top=0)["results"], "clustering", 0))


@takes("simple", "undirected", weight=None)
def average_clustering(G, nodes=None, weight=None, count_zeros=True):
    found = clustering(G, nodes).values()
    found = [value for value in found if count_zeros or value != 0]
    return sum(found) / len(found)


@takes("simple", "undirected")
def transitivity(G):
    return G.ask("triangles", total=True)["transitivity"] if len(G) else 0


@takes("simple", "undirected")
def core_number(G):
    return G.values(G.ask("kcore", top=0)["results"], "core", 0)


def _predictions(G, ebunch, measure):
    """(u, v, score) of the pairs, all of one u in one question."""
    pairs = list(ebunch)
    others = {}
    for u, v in pairs:
        others.setdefault(G.key(u), []).append(G.key(v))
    scores = {}
    for u, keys in others.items():
        rows = G.ask("similar", of=u, measure=measure, **{"with": sorted(set(keys))})["pairs"]
        scores.update(((u, row["b"]), row["score"]) for row in rows)
    return iter([(u, v, scores[G.key(u), G.key(v)]) for u, v in pairs])


@takes("simple", "undirected", ebunch=are_pairs)
def jaccard_coefficient(G, ebunch=None):
    return _predictions(G, ebunch, "jaccard")


@takes("simple", "undirected", ebunch=are_pairs)
def adamic_adar_index(G, ebunch=None):
    return _predictions(G, ebunch, "adamic-adar")


@takes("simple", "undirected", ebunch=are_pairs)
def resource_allocation_index(G, ebunch=None):
    return _predictions(G, ebunch, "resource")


# --- paths


def _depths(G, source, direction, depth=None):
    """How many edges away each node is that can be reached, nearest first."""
    more = {} if depth is None or depth >= len(G) else {"depth": math.ceil(depth)}
    rows = G.ask("bfs", top=0, direction=direction, **{"from": [G.key(source)]}, **more)["results"]
    return {G.node(row["key"]): row["depth"] for row in rows}


def _reached(G, source, direction):
    return set(_depths(G, source, direction))


def _known(G, source):
    if source not in G:
        raise networkx.NetworkXError("The node %s is not in the graph." % (source,))


@takes()
def descendants(G, source):
    _known(G, source)
    return _reached(G, source, "out") - {source}


@takes()
def ancestors(G, source):
    _known(G, source)
    return _reached(G, source, "in") - {source}


@takes(distance=lambda distance: isinstance(distance, int))
def descendants_at_distance(G, source, distance):
    _known(G, source)
    if distance < 0:
        return set()
    return {n for n, depth in _depths(G, source, "out", distance).items() if depth == distance}


@takes(cutoff=is_cutoff)
def single_source_shortest_path_length(G, source, cutoff=None):
    return _depths(G, source, "out", cutoff)


@takes(cutoff=is_cutoff)
def all_pairs_shortest_path_length(G, cutoff=None):
    return ((node, _depths(G, node, "out", cutoff)) for node in G)


def _check_exact(G, weight):
    _weighted(G, weight)
    if not G.exact:
        raise NotImplementedError("float32 does not hold a weight")


def _distances(G, source, weight, cutoff=None):
    _check_exact(G, weight)
    within = {} if cutoff is None or cutoff == math.inf else {"within": cutoff}
    rows = G.ask("distances", top=0, cost="length", **{"from": G.key(source)}, **within)["results"]
    return {G.node(row["key"]): row["distance"] for row in rows}


@takes("simple", weight=is_name, cutoff=is_cutoff)
def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    return _distances(G, source, weight, cutoff)


@takes("simple", weight=is_name, cutoff=is_cutoff)
def all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight"):
    _check_exact(G, weight)
    return ((node, _distances(G, node, weight, cutoff)) for node in G)


@takes("simple", weight=is_name)
def dijkstra_path_length(G, source, target, weight="weight"):
    found = _distances(G, source, weight)
    if target not in found:
        raise networkx.NetworkXNoPath("Node %s not reachable from %s" % (target, source))
    return found[target]


@takes("simple", v=None, sp=None, weight=None)
def eccentricity(G, v=None, sp=None, weight=None):
    if len(G) == 0:
        return {}
    rows = G.ask("bfs", each=True, **{"from": [str(n) for n in range(len(G))]})["sources"]
    if any(row["reached"] < len(G) for row in rows):
        raise networkx.NetworkXError(
            "Found infinite path length because the %s" % (
                "digraph is not strongly connected" if G.is_directed()
                else "graph is not connected"))
    return {G.node(row["key"]): len(row["levels"]) - 1 for row in rows}
