"""A graph at one moment: keys, arrays and rankings. It stays valid when the graph is closed."""

import ctypes
from collections import namedtuple

from . import _library as library
from ._arrays import ArrayIn, Result, StringsIn, numpy
from ._library import byref, check, lib, sized
from .errors import InvalidArgument

# scipy.sparse.csr_array((data, indices, indptr)) is the matrix; nodes[row] is a row's node id.
Csr = namedtuple("Csr", "indptr indices data nodes")

NO_NODE = 0xFFFFFFFF


class Snapshot(library.Owner):
    def __init__(self, handle):
        self._handle = handle  # a SnapshotHandle
        self._info = sized(library.SnapshotInfo)
        check(lib.plexus_snapshot_about(handle, byref(self._info)))

    sequence = property(lambda self: self._info.sequence, doc="of its last batch")
    time_ms = property(lambda self: self._info.time_ms, doc="of its last batch")
    node_count = property(lambda self: self._info.node_count, doc="ids are below it")
    nodes = property(lambda self: self._info.nodes, doc="facts that are there")
    edges = property(lambda self: self._info.edges, doc="edges between facts")

    def _result(self, function, *arguments):
        handle = library.ResultHandle()
        check(function(self._handle, *arguments, byref(handle)))
        return Result(handle)

    def keys(self, ids=None):
        """The keys of these node ids, an array of uint32; without them of all."""
        given = ArrayIn(ids, "uint32", "ids") if ids is not None else None
        if given is not None and len(given) == 0:
            return []
        pointer, count = (given.pointer, len(given)) if given else (None, 0)
        return self._result(lib.plexus_keys, pointer, count).strings()

    def find(self, keys):
        """The node ids of keys, an array of uint32; NO_NODE where there is no such node."""
        given = StringsIn([keys] if isinstance(keys, str) else keys, "keys")
        ids = (ctypes.c_uint32 * given.struct.count)()
        check(lib.plexus_find(self._handle, byref(given.struct), ids))
        return memoryview(ids).cast("B").cast("I") if numpy is None else numpy.frombuffer(
            ids, "uint32")

    def pagerank(self, damping=None, tolerance=None, iterations=0, weighted=True, kinds=None,
                 seeds=None, seed_weights=None, cancel=None):
        """The score of every node id, an array of float64. `damping`: default 0.85; `tolerance`:
        default 1e-9. `seeds`: node ids, an array of uint32 that is not empty, with
        `seed_weights`, an array of float64."""
        options = sized(library.PageRankOptions)
        options.damping = _or_default(damping, "damping")
        options.tolerance = _or_default(tolerance, "tolerance")
        options.iterations = library.whole(iterations, "iterations", 31)
        options.unweighted = not weighted
        options.kinds, options.kind_count = library.texts(kinds, "kinds")
        options.cancel = library.cancel_handle(cancel)
        if seeds is not None:
            given = ArrayIn(seeds, "uint32", "seeds")
            if len(given) == 0:
                raise InvalidArgument(
                    "seeds is empty: None is for the rank of the whole graph")
            options.seeds, options.seed_count = given.pointer, len(given)
            if seed_weights is not None:
                weights = ArrayIn(seed_weights, "float64", "seed_weights")
                _same_length("seed_weights", weights, "seeds", given)
                options.seed_weights = weights.pointer
        elif seed_weights is not None:
            raise InvalidArgument("seed_weights without seeds")
        return self._result(lib.plexus_pagerank, byref(options)).array("scores")

    def csr(self, kinds=None, incoming=False):
        """The edges between facts as compressed sparse rows (indptr, indices, data, nodes)."""
        options = sized(library.CsrOptions)
        options.kinds, options.kind_count = library.texts(kinds, "kinds")
        options.incoming = incoming
        result = self._result(lib.plexus_csr, byref(options))
        return Csr(*(result.array(n) for n in ("offsets", "targets", "weights", "nodes")))

    def vectors(self, space="default"):
        """Node ids (uint32) and their vectors (float32, a row each) of a space."""
        result = self._result(lib.plexus_space, library.text(space, "space"))
        return result.array("nodes"), result.array("values", 2)

    def column(self, name):
        """Node ids (uint32) and their values of a column: an array of float64 or int64, or a list
        of texts."""
        result = self._result(lib.plexus_column, library.text(name, "column"))
        values = result.array("values") if result.has("values") else result.strings()
        return result.array("nodes"), values

    def to_networkx(self, kinds=None):
        """A networkx.DiGraph of keys; an edge's weight is the largest of the edges there are."""
        import networkx

        graph = networkx.DiGraph()
        offsets, targets, weights, nodes = self.csr(kinds)
        keys = self.keys(nodes)
        graph.add_nodes_from(keys)
        for row, key in enumerate(keys):
            for arc in range(offsets[row], offsets[row + 1]):
                target, weight = keys[targets[arc]], float(weights[arc])
                known = graph.get_edge_data(key, target)
                if known is None or known["weight"] < weight:
                    graph.add_edge(key, target, weight=weight)
        return graph


def _or_default(number, name):
    if number is None:
        return -1.0  # the library's default
    if not number >= 0:
        raise InvalidArgument("%s is %r, less than 0 or no number" % (name, number))
    return number


def _same_length(name, values, other_name, other):
    if len(values) != len(other):
        raise InvalidArgument("%s has %d elements, %s has %d"
                              % (name, len(values), other_name, len(other)))
