"""Arrays in and out: the same numbers, no copy, and wrong ones refused by name."""

import array
import ctypes
import gc
import os
import shutil
import tempfile
import threading
import unittest

import plexus
from plexus import _arrays

try:
    import numpy
except ImportError:
    numpy = None
needs_numpy = unittest.skipUnless(numpy, "no NumPy")


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        self.graph = plexus.open(os.path.join(folder, "graph"))
        self.addCleanup(self.graph.close)

    def refused(self, why, function, *arguments, **parameters):
        with self.assertRaises(plexus.InvalidArgument) as caught:
            function(*arguments, **parameters)
        self.assertIn(why, str(caught.exception))
        self.assertEqual(self.graph.sequence, 0)


class States(Scratch):
    def test_a_graph_in_ram(self):
        with plexus.in_memory() as graph:
            graph.put_edges(["a", "b"], ["b", "c"])
            graph.put("a", text="Deploys stop.")
            self.assertEqual(graph.search("deploys")["results"][0]["key"], "a")
            self.assertEqual(len(graph.snapshot().pagerank()), graph.snapshot().node_count)
            for past in (lambda: graph.snapshot(as_of=1), lambda: list(graph.changes()),
                         lambda: graph.stats(as_of=1)):
                with self.assertRaises(plexus.FailedPrecondition):
                    past()
        with self.assertRaises(plexus.FailedPrecondition):
            graph.stats()
        with self.assertRaises(plexus.InvalidArgument):  # a slip, and no graph in RAM
            plexus.open(None)

    def test_earlier_states(self):
        self.graph.put("a")
        self.graph.put("b")
        last = self.graph.sequence
        self.assertEqual(self.graph.snapshot(as_of=last - 1).nodes, 1)
        self.assertEqual(self.graph.snapshot(as_of="now").nodes, 2)
        with self.assertRaises(plexus.NotFound):
            self.graph.snapshot(as_of=last + 1)
        with self.assertRaises(plexus.InvalidArgument):  # which was the present
            self.graph.snapshot(as_of="")

    def test_columns(self):
        self.graph.import_records([
            {"column": "mass", "type": "f64"}, {"node": "a", "mass": 1.5, "access_count": 7},
            {"node": "b", "category": "x"}, {"node": "c", "mass": -2, "category": "yü"}])
        snapshot = self.graph.snapshot()
        for name, nodes, values in (("mass", [0, 2], [1.5, -2]), ("access_count", [0], [7]),
                                    ("category", [1, 2], ["x", "yü"])):
            found = snapshot.column(name)
            self.assertEqual((list(found[0]), list(found[1])), (nodes, values))
        with self.assertRaises(plexus.NotFound):
            snapshot.column("nothing")


class WithoutNumpy(Scratch):
    def test_texts_numbers_and_ids(self):
        self.assertEqual(self.graph.put_edges(["a", "b", "a"], ["b", "c", "b"])["added"], 2)
        counts = self.graph.put_edges(array.array("I", [0, 1]), [1, 2], weights=[0.5, 0.25])
        self.assertEqual((counts["nodes_added"], counts["added"]), (3, 2))
        snapshot = self.graph.snapshot()
        a, c, none = snapshot.find(["a", "c", "none"])
        self.assertEqual(none, plexus.NO_NODE)
        self.graph.put_edges([a], [c], ids=True, kinds=["supports"], kind_of=[0])
        supports = self.graph.csr(kinds=["supports"])
        rows = list(supports.nodes)
        self.assertEqual([rows[row] for row in supports.indices], [c])
        self.assertEqual(supports.indptr[rows.index(a) + 1] - supports.indptr[rows.index(a)], 1)
        self.assertEqual(list(snapshot.keys([c, a])), ["c", "a"])
        self.assertEqual(sorted(snapshot.keys()), ["0", "1", "2", "a", "b", "c"])

    def test_ranks_are_those_of_the_operation(self):
        self.graph.put_edges(["a", "b", "c"], ["b", "c", "b"], kind="supports")
        snapshot = self.graph.snapshot()
        ranks = dict(zip(snapshot.keys(), snapshot.pagerank()))
        for row in self.graph.pagerank(top=0)["nodes"]:
            self.assertEqual(row["score"], ranks[row["key"]])

    def test_zeros_of_a_rank_are_values(self):
        self.graph.put_edges(["a", "c"], ["b", "b"])
        snapshot = self.graph.snapshot()
        even = list(snapshot.pagerank(damping=0.0))
        self.assertEqual(even, [1 / 3] * 3)
        self.assertNotEqual(list(snapshot.pagerank()), even)
        self.assertEqual(list(snapshot.pagerank(0.85, 1e-9)), list(snapshot.pagerank()))
        for why, given in (("seeds is empty", {"seeds": []}), ("damping is -1", {"damping": -1}),
                           ("damping is nan", {"damping": float("nan")}),
                           ("tolerance", {"tolerance": 0}),
                           ("seed_weights without seeds", {"seed_weights": [1.0]})):
            with self.assertRaises(plexus.InvalidArgument) as caught:
                snapshot.pagerank(**given)
            self.assertIn(why, str(caught.exception))

    def test_wrong_arrays(self):
        put = self.graph.put_edges
        self.refused("targets has 1 elements, sources has 2", put, [1, 2], [1])
        self.refused("sources is an array of d, not of uint32", put, array.array("d", [1]), [1])
        self.refused("sources", put, [-1], [1])
        self.refused("sources is int, no array", put, 7, 8)
        self.refused("weights has 1 elements", put, [1, 2], [1, 2], weights=[1.0])
        self.refused("edge 0: weight", put, [1], [1], weights=[float("nan")])
        self.refused("edge 0: 5 is no position in keys", put, [5], [0], keys=["a"])
        self.refused("keys[0] is 3, no text", put, [0], [0], keys=[3])
        self.refused("no node of id 4", put, [4], [4], ids=True)
        self.refused("keys and ids exclude each other", put, [0], [1], keys=["x", "y"], ids=True)
        self.refused("kinds needs kind_of", put, [1], [1], kinds=["supports"])
        self.refused("values is a list", self.graph.put_vectors, [1.0, 2.0])
        memory = memoryview(array.array("f", range(6))).cast("B").cast("f", (2, 3))
        self.refused("keys has 1 elements, values has 2", self.graph.put_vectors, memory, ["a"])
        self.refused("metric", self.graph.put_vectors, memory, ["a", "b"], metric="far")

    def test_memoryviews_of_vectors(self):
        memory = memoryview(array.array("f", range(6))).cast("B").cast("f", (2, 3))
        self.assertEqual(self.graph.put_vectors(memory, ["a", "b"])["added"], 2)
        nodes, values = self.graph.snapshot().vectors()
        self.assertEqual(self.graph.snapshot().keys(nodes), ["a", "b"])
        self.assertEqual([list(row) for row in values.tolist()], [[0, 1, 2], [3, 4, 5]])
        column = memoryview(array.array("f", [1, 2])).cast("B").cast("f", (2, 1))
        self.graph.put_vectors(column, ["a", "b"], space="narrow")
        values = self.graph.snapshot().vectors("narrow")[1]
        self.assertEqual(values.tolist(), [[1], [2]])
        self.assertEqual(self.graph.put_vectors(values, ["b", "a"], space="narrow")["added"], 2)
        with self.assertRaises(plexus.NotFound):
            self.graph.snapshot().vectors("none")

    def test_lists_where_numpy_is_missing(self):
        known, _arrays.numpy = _arrays.numpy, None
        try:
            self.graph.put_edges([1, 2], [2, 3])
            scores = self.graph.snapshot().pagerank()
            self.assertIsInstance(scores, memoryview)
            self.assertTrue(scores.readonly)
            self.assertAlmostEqual(sum(scores), 1.0)
        finally:
            _arrays.numpy = known


@needs_numpy
class WithNumpy(Scratch):
    def test_a_view_outlives_graph_and_snapshot(self):
        count = 3000
        ends = numpy.arange(count, dtype=numpy.uint32)
        self.graph.put_edges(ends, (ends * 7 + 1) % count)
        csr = self.graph.csr()
        scores = self.graph.snapshot().pagerank()
        expected, total = csr.indices.copy(), scores.sum()
        self.graph.close()
        gc.collect()
        self.assertTrue((csr.indices == expected).all())
        self.assertEqual(scores.sum(), total)
        self.assertFalse(csr.indices.flags.writeable)
        with self.assertRaises(ValueError):
            scores[0] = 1
        # As scipy.sparse.csr_array((data, indices, indptr)) reads them.
        sums = numpy.add.reduceat(csr.data, csr.indptr[:-1])
        self.assertEqual(len(sums), count)

    def test_no_copy(self):
        ends = numpy.arange(1000, dtype=numpy.uint32)
        given = _arrays.ArrayIn(ends, "uint32", "ends")
        self.assertEqual(given.pointer, ends.ctypes.data)
        self.graph.put_edges(ends, ends[::-1].copy())
        first, second = self.graph.csr(), self.graph.csr()
        self.assertEqual(len(first.indices), 1000)
        before = ctypes.c_uint32.from_address(first.indices.ctypes.data).value
        self.assertEqual(before, first.indices[0])
        self.assertEqual(list(first.indices), list(second.indices))

    def test_an_array_that_a_thread_changes(self):
        stop = threading.Event()
        ends = numpy.zeros(300000, numpy.uint32)

        def change():
            while not stop.is_set():
                ends[::101] = 4000000000
                ends[::101] = 1

        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(10):
                try:
                    self.graph.put_edges(ends, ends, keys=["a", "b"], kind="likes")
                except plexus.InvalidArgument as wrong:
                    self.assertIn("edge", str(wrong))
        finally:
            stop.set()
            thread.join()

    def test_wrong_arrays(self):
        put = self.graph.put_edges
        good = numpy.zeros(4, numpy.uint32)
        self.refused("sources is an array of int64, not of uint32", put, numpy.zeros(4, int), good)
        self.refused("targets is an array of float32", put, good, numpy.zeros(4, numpy.float32))
        self.refused("weights is an array of float64, not of float32", put, good, good,
                     weights=numpy.zeros(4))
        self.refused("sources has 2 dimensions, not 1", put, good.reshape(2, 2), good)
        self.refused("sources is no contiguous array", put, numpy.zeros(8, numpy.uint32)[::2], good)
        self.refused("sources is an array of >u4", put, good.astype(">u4"), good)
        self.refused("values has 1 dimensions, not 2", self.graph.put_vectors,
                     numpy.zeros(4, numpy.float32))
        self.refused("values is an array of float64", self.graph.put_vectors, numpy.zeros((2, 2)))
        read_only = numpy.arange(4, dtype=numpy.uint32)
        read_only.flags.writeable = False
        self.assertGreater(put(read_only, read_only[::-1].copy())["added"], 0)


if __name__ == "__main__":
    unittest.main()
