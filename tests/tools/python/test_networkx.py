"""The NetworkX backend next to NetworkX itself: the same answers, and the same exceptions, for
arguments at the edge of what Plexus takes. networkx.sh runs it, where Plexus is chosen first."""

import math
import unittest
from unittest import mock

import networkx as nx
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

try:
    import numpy
except ImportError:
    numpy = None

import plexus.networkx_backend as backend
from plexus.networkx_backend import from_networkx


def plain(name):
    """NetworkX's own function; its PageRank without SciPy."""
    return _pagerank_python if name == "pagerank" else getattr(nx, name).orig_func


def outcome(function, graph, arguments, more):
    """What it returns as lists and dicts, or the type of what it raises. A function among the
    arguments makes one that can be read only once."""
    try:
        found = function(graph, *(a() if callable(a) else a for a in arguments), **more)
        if isinstance(found, (int, float, dict, set)):
            return found
        return list(found)
    except Exception as wrong:
        return type(wrong)


def weighted(kind=nx.Graph, name="weight"):
    graph = kind()
    graph.add_weighted_edges_from(
        [("a", "b", 4), ("a", "c", 1), ("c", "b", 2), ("b", "d", 0.5), ("e", "f", 1)], weight=name)
    return graph


def multigraph(name="weight"):
    graph = weighted(nx.MultiDiGraph, name)
    graph.add_weighted_edges_from([("a", "b", 3), ("a", "b", 1), ("d", "a", 2)], weight=name)
    return graph


class Compared(unittest.TestCase):
    def compare(self, found, expected):
        if isinstance(expected, float) and math.isnan(expected):
            self.assertTrue(math.isnan(found))
        elif isinstance(expected, float):
            self.assertAlmostEqual(found, expected, places=4)
        elif isinstance(expected, dict):
            self.assertEqual(set(found), set(expected))
            for key in expected:
                self.compare(found[key], expected[key])
        elif isinstance(expected, (list, tuple)):
            self.assertEqual(len(found), len(expected))
            for one, other in zip(found, expected):
                self.compare(one, other)
        else:
            self.assertEqual(found, expected)

    def same(self, name, graph, *arguments, by=None, copy=None, **more):
        """`by`: "plexus" where it must answer, "networkx" where it must not; `copy`: of the graph,
        which is asked instead."""
        answered = []
        function = getattr(backend, name)

        def counted(*args, **kwargs):
            answer = function(*args, **kwargs)
            answered.append(name)
            return answer

        with self.subTest(name, arguments=arguments, **more):
            expected = outcome(plain(name), graph, arguments, more)
            with mock.patch.object(backend, name, counted):
                found = outcome(getattr(nx, name), copy or graph, arguments, more)
            self.compare(found, expected)
            if by:
                self.assertEqual("plexus" if answered else "networkx", by)


class Arguments(Compared):
    def test_what_can_be_read_once_is_read_once(self):
        graph = nx.path_graph(6)
        for name in ("jaccard_coefficient", "resource_allocation_index", "adamic_adar_index"):
            pairs = [(0, 2), (1, 3), (3, 1), (0, 5)]
            self.same(name, graph, pairs, by="plexus")
            self.same(name, graph, lambda: iter(pairs))
            self.same(name, graph, lambda: iter(pairs + [(2, 2)]))
            self.same(name, graph, pairs + [(2, 2)])
            self.same(name, graph, graph.edges, by="plexus")
            self.same(name, graph, lambda: nx.non_edges(graph))
            self.same(name, graph)
            self.same(name, graph, 5)
        for name in ("triangles", "clustering"):
            self.same(name, graph, lambda: iter([1, 2, 99]), by="plexus")

    def test_cutoffs(self):
        path = nx.path_graph(6)
        for cutoff in (None, 0, 1, 1.5, 2.0, 99, 1e300, math.inf, -1, -0.5):
            self.same("single_source_shortest_path_length", path, 0, cutoff=cutoff)
            self.same("all_pairs_shortest_path_length", path, cutoff=cutoff)
            self.same("single_source_dijkstra_path_length", weighted(), "a", cutoff=cutoff)
            self.same("all_pairs_dijkstra_path_length", weighted(), cutoff=cutoff)
        for distance in (-1, 0, 2, 6, 2**70, 1.5, 2.0):
            self.same("descendants_at_distance", path, 0, distance)

    def test_katz(self):
        graph = nx.star_graph(3)
        for normalized in (True, False):
            for beta in (1, -1, 2.5, -0.5):
                self.same("katz_centrality", graph, beta=beta, normalized=normalized, by="plexus")
            for beta in (0, 0.0, dict.fromkeys(graph, 2)):
                self.same("katz_centrality", graph, beta=beta, normalized=normalized, by="networkx")
        for alpha in (5, 1.0, 0, -0.1):
            self.same("katz_centrality", graph, alpha=alpha, by="networkx")

    def test_pagerank(self):
        graph = weighted(nx.DiGraph)
        for alpha in (0, 0.5, 0.85):
            self.same("pagerank", graph, alpha=alpha, by="plexus", tol=1e-9)
        self.same("pagerank", graph, personalization={"a": 2, "d": 1}, tol=1e-9, by="plexus")
        for given in ({"alpha": 1.0}, {"alpha": -0.1}, {"alpha": math.nan}, {"alpha": "x"},
                      {"alpha": 10**400},
                      {"personalization": {"a": -1, "b": 2}}, {"personalization": [1]},
                      {"personalization": {"a": math.nan}}, {"personalization": {"a": None}},
                      {"dangling": {"a": 1}}, {"nstart": 5}, {"max_iter": None}):
            self.assertFalse(backend.can_run("pagerank", (graph,), given), given)
            with self.assertRaises(NotImplementedError):  # as NetworkX 3.2 calls it
                backend.pagerank(from_networkx(graph), **given)

    def test_missing_nodes(self):
        graph = nx.path_graph(4)
        for name in ("triangles", "clustering"):
            for nodes in (99, [1, 99], [1, []], "xy", [], None, 2):
                self.same(name, graph, nodes)
        self.same("node_connected_component", graph, 99)
        self.same("node_connected_component", graph, 1, by="plexus")
        for name in ("descendants", "ancestors", "single_source_shortest_path_length",
                     "single_source_dijkstra_path_length", "closeness_centrality"):
            self.same(name, graph, 99)
        self.same("dijkstra_path_length", graph, 0, 99)
        self.same("dijkstra_path_length", graph, 99, 0)
        self.same("descendants_at_distance", graph, 99, 1)


class Weights(Compared):
    def test_of_an_edge(self):
        for value in (None, "heavy", "3", -1, math.nan, math.inf, 10**400, 1e300, 2**53 + 1, 0.1,
                      [1], 2**24 + 1, 2**53):
            graph = weighted(nx.DiGraph)
            graph.add_edge("d", "e", weight=value)
            self.same("dijkstra_path_length", graph, "a", "f")
            self.same("single_source_dijkstra_path_length", graph, "d")
            if not isinstance(value, str) and value is not None:
                continue
            with self.assertRaises(NotImplementedError):
                from_networkx(graph)
            self.same("katz_centrality", graph, weight="weight", by="networkx")
            self.same("katz_centrality", graph, by="plexus")

    def test_of_parallel_edges(self):
        graph = multigraph()
        self.same("pagerank", graph, tol=1e-9, by="plexus")
        self.same("pagerank", graph, weight=None, tol=1e-9, by="plexus")
        self.same("pagerank", graph, weight=None, tol=1e-9, by="plexus",
                  copy=from_networkx(graph, weight=None))
        self.same("pagerank", graph, tol=1e-9, by="plexus", copy=from_networkx(graph))
        with self.assertRaises(NotImplementedError):
            nx.pagerank(from_networkx(graph), weight=None)

    def test_of_a_copy(self):
        graph = weighted(nx.DiGraph)
        graph.add_edge("d", "a", weight=3)
        self.same("pagerank", graph, tol=1e-9, by="plexus", copy=from_networkx(graph))
        self.same("pagerank", graph, tol=1e-9, weight=None, by="plexus", copy=from_networkx(graph))
        named = weighted(nx.DiGraph, "cost")
        copy = from_networkx(named, weight="cost")
        self.same("pagerank", named, tol=1e-9, weight="cost", by="plexus", copy=copy)
        self.same("dijkstra_path_length", named, "a", "b", "cost", by="plexus", copy=copy)
        for name, arguments in (("pagerank", ()), ("katz_centrality", (0.1,)),
                                ("eigenvector_centrality", ()),
                                ("single_source_dijkstra_path_length", ("a",)),
                                ("dijkstra_path_length", ("a", "b")),
                                ("all_pairs_dijkstra_path_length", ())):
            with self.assertRaisesRegex(nx.NetworkXError, "from_networkx"):
                getattr(nx, name)(copy, *arguments, weight="weight")
        self.assertEqual(dict(copy.to_networkx().edges), dict(named.edges))

    @unittest.skipUnless(numpy, "no NumPy")
    def test_of_numpy(self):
        graph = nx.DiGraph()
        graph.add_edge("a", "b", weight=numpy.int64(2**53 + 1))
        self.same("dijkstra_path_length", graph, "a", "b", by="networkx")
        graph.add_edge("a", "b", weight=numpy.int64(2**24))
        graph.add_edge("b", "c", weight=numpy.float32(0.1))
        self.same("dijkstra_path_length", graph, "a", "c", by="plexus")

    def test_of_a_path_are_exact(self):
        graph = nx.DiGraph()
        graph.add_edge("a", "b", weight=2**53)
        graph.add_edge("b", "c", weight=1)
        self.same("dijkstra_path_length", graph, "a", "c")


class Copies(Compared):
    def test_every_function_takes_one(self):
        graph = nx.path_graph(5)
        copy = from_networkx(graph)
        for name, *arguments in (
                ("betweenness_centrality",), ("closeness_centrality",), ("harmonic_centrality",),
                ("katz_centrality",), ("triangles",), ("clustering",), ("transitivity",),
                ("core_number",), ("eccentricity",), ("dijkstra_path_length", 0, 3),
                ("jaccard_coefficient", [(0, 2)]), ("is_connected",), ("pagerank",)):
            self.assertTrue(backend.can_run(name, (copy, *arguments), {}), name)
            self.same(name, graph, *arguments, copy=copy, by="plexus")

    def test_what_it_does_not_take(self):
        copy = from_networkx(nx.Graph([(0, 0), (0, 1)]))
        for function in (nx.triangles, nx.betweenness_centrality, nx.core_number):
            self.assertFalse(backend.can_run(function.__name__, (copy,), {}))
            with self.assertRaises(NotImplementedError):
                function(copy)
        with self.assertRaises(NotImplementedError):
            nx.betweenness_centrality(from_networkx(nx.path_graph(3)), k=2)


if __name__ == "__main__":
    unittest.main()
