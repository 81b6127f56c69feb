"""A NetworkX graph as a graph of Plexus in RAM."""

import array
import math
import operator
from numbers import Integral

import networkx

from ._graph import in_memory
from .errors import InvalidArgument

DIRECTED, UNDIRECTED = "link", "linked"  # kinds of edges


def _are_exact(weights, values):
    """Whether float32 holds the values, and float64 each sum of those that are integers."""
    values = [value if isinstance(value, (int, float)) or not isinstance(value, Integral)
              else int(value) for value in values]  # NumPy's integers are compared as float64
    return sum(value for value in values if isinstance(value, int)) <= 2**53 and all(
        map(operator.eq, weights, values))


class PlexusGraph:
    """A copy of a NetworkX graph: node i has the key str(i). Edges that differ in their key alone
    are one, of their sum of weights. `weight` is the attribute that they are; None: each is 1."""

    __networkx_backend__ = __networkx_plugin__ = "plexus"

    def __init__(self, graph, weight=None, default=1):
        self.nodes, self.weight = list(graph), weight
        self.numbers = {node: number for number, node in enumerate(self.nodes)}
        self._directed, self._multigraph = graph.is_directed(), graph.is_multigraph()
        self.graph = in_memory()
        self.exact = True  # float32 holds the weights
        sums, numbers = {}, self.numbers
        for source, target, value in graph.edges(data=weight, default=default):
            ends = numbers[source], numbers[target]
            if not self._directed and ends[0] > ends[1]:
                ends = ends[1], ends[0]
            try:
                sums[ends] = sums.get(ends, 0) + (1 if weight is None else value)
            except TypeError:
                raise NotImplementedError("a weight is no number") from None
        self.self_loops = any(source == target for source, target in sums)
        self._write(sums, self._multigraph or weight is not None)

    def _write(self, sums, weighted):
        weights = array.array("f")
        try:
            weights.extend(sums.values() if weighted else ())
        except (TypeError, ValueError, OverflowError):
            raise NotImplementedError("a weight is no number of float32") from None
        if any(not 0 <= value < math.inf for value in weights):
            raise NotImplementedError("a weight is negative, or not finite")
        self.exact = not weighted or _are_exact(weights, sums.values())
        if not self._directed:
            self.graph.import_records([{"kind": UNDIRECTED, "plane": "fact", "symmetric": True}])
        sources = array.array("I", (source for source, _ in sums))
        targets = array.array("I", (target for _, target in sums))
        if sums:
            self.graph.put_edges(sources, targets, weights=weights if weighted else None,
                                 kind=None if self._directed else UNDIRECTED)
        joined = set(sources).union(targets)
        lonely = [{"node": str(n)} for n in range(len(self.nodes)) if n not in joined]
        if lonely:
            self.graph.import_records(lonely)

    def __del__(self):
        if "graph" in self.__dict__:
            self.graph.close()

    def is_directed(self):
        return self._directed

    def is_multigraph(self):
        return self._multigraph

    def __len__(self):
        return len(self.nodes)

    def __contains__(self, node):
        try:
            return node in self.numbers
        except TypeError:
            return False

    def __iter__(self):
        return iter(self.nodes)

    def key(self, node):
        """The key of a node; NodeNotFound."""
        if node not in self:
            raise networkx.NodeNotFound("Node %r is not in the graph" % (node,))
        return str(self.numbers[node])

    def ask(self, operation, **parameters):
        """The whole reply of an operation. What it refuses is left to NetworkX, so nothing that
        can be read only once may have been read before."""
        try:
            reply = self.graph._call(operation, dict(parameters, max_bytes=0))
        except InvalidArgument as refused:
            raise NotImplementedError(str(refused)) from refused
        if reply.get("truncated"):
            raise NotImplementedError("the reply of %s is not all there is" % operation)
        return reply

    def node(self, key):
        return self.nodes[int(key)]

    def values(self, rows, field, default):
        """A field of the rows by node, in the graph's order."""
        found = dict.fromkeys(self.nodes, default)
        for row in rows:
            found[self.node(row["key"])] = row[field]
        return found

    def to_networkx(self):
        kind = networkx.DiGraph if self._directed else networkx.Graph
        offsets, targets, weights, nodes = self.graph.csr()
        made = kind()
        made.add_nodes_from(self.nodes)
        names = [self.node(key) for key in self.graph.snapshot().keys(nodes)]
        for row, name in enumerate(names):
            made.add_weighted_edges_from(
                ((name, names[targets[arc]], float(weights[arc]))
                for arc in range(offsets[row], offsets[row + 1])), weight=self.weight or "weight")
        return made


def from_networkx(graph, weight="weight"):
    """A copy for several calls. They have these weights or, with weight=None, none."""
    return PlexusGraph(graph, weight)
