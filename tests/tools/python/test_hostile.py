"""Arguments that nobody should give: an error that names them, and nothing is written or lost."""

import array
import copy
import gc
import os
import pathlib
import pickle
import shutil
import tempfile
import unittest

import plexus

try:
    import numpy
except ImportError:
    numpy = None


class Spelled(str):
    """A str with a mind of its own."""

    def encode(self, *_):
        raise AssertionError("the text itself is asked for")


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.graph = plexus.open(os.path.join(self.folder, "graph"))
        self.addCleanup(self.graph.close)
        self.graph.put_edges(["a", "b"], ["b", "c"])
        self.before = self.graph.sequence

    def refused(self, why, function, *arguments, **parameters):
        with self.assertRaises(plexus.InvalidArgument) as caught:
            function(*arguments, **parameters)
        self.assertIn(why, str(caught.exception))
        self.assertEqual(self.graph.sequence, self.before)
        return caught.exception


class Handles(Scratch):
    def test_a_copy_would_free_what_it_does_not_own(self):
        snapshot = self.graph.snapshot()
        for owner in (self.graph, snapshot, plexus.Cancel()):
            for use in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaises(TypeError) as caught:
                    use(owner)
                self.assertIn("neither copied nor pickled", str(caught.exception))
        gc.collect()
        self.assertEqual(snapshot.keys(), ["a", "b", "c"])
        self.assertEqual(self.graph.get("a")["key"], "a")

    def test_replies_and_errors_are_copied(self):
        reply = self.graph.get("a")
        self.assertEqual(pickle.loads(pickle.dumps(reply)), reply)
        self.assertEqual(copy.deepcopy(reply).bytes, reply.bytes)
        with self.assertRaises(plexus.NotFound) as caught:
            self.graph.get("none")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(again), str(again)), (plexus.NotFound, str(caught.exception)))

    def test_a_half_made_graph_dies_quietly(self):
        plexus.Graph.__new__(plexus.Graph).__del__()
        with self.assertRaises(plexus.InvalidArgument):
            plexus.Snapshot(self.graph._handle)
        self.assertEqual(self.graph.get("a")["key"], "a")

    def test_iterators_that_are_left(self):
        following = self.graph.changes(follow=True)
        self.assertEqual(next(following)["sequence"], 1)
        following.close()
        del following
        gc.collect()
        self.assertEqual(self.graph.get("a")["key"], "a")


class Texts(Scratch):
    def test_half_a_surrogate_pair(self):
        half = "\ud800"
        snapshot = self.graph.snapshot()
        for use in (lambda: self.graph.get(half), lambda: self.graph.put("k", text=half),
                    lambda: snapshot.find([half]), lambda: self.graph.snapshot(as_of=half),
                    lambda: self.graph.put_edges([0], [1], kind=half),
                    lambda: self.graph.put_edges([0], [1], keys=["a", half]),
                    lambda: self.graph.put_texts(["k"], [half]),
                    lambda: self.graph.import_records([{"node": half}]),
                    lambda: self.graph.import_bytes(half),
                    lambda: plexus.open(os.path.join(self.folder, half))):
            self.refused("", use)
        self.assertEqual(os.listdir(self.folder), ["graph"])

    def test_a_text_of_another_class(self):
        self.assertEqual(self.graph.get(Spelled("a"))["key"], "a")
        self.assertEqual(list(self.graph.snapshot().find([Spelled("b")])), [1])
        self.graph.put_edges([0], [1], keys=["a", "b"], kind=Spelled("likes"))
        self.assertEqual(len(self.graph.csr(kinds=["likes"]).indices), 1)

    def test_a_text_is_no_list(self):
        self.refused("keys is the text 'ab'", self.graph.put_edges, [0], [1], keys="ab")
        self.refused("keys is 3, no list", self.graph.put_edges, [0], [1], keys=3)
        self.refused("keys[1] is b'b', no text", self.graph.put_edges, [0], [1], keys=["a", b"b"])
        self.assertEqual(
            self.graph.put_edges([0], [1], keys=(k for k in "ab"))["same"], 1)


class Numbers(Scratch):
    def test_those_that_do_not_fit(self):
        snapshot = self.graph.snapshot()
        for wrong in (1 << 40, -1, 1.5, "3", None):
            self.refused("iterations is", snapshot.pagerank, iterations=wrong)
        for wrong in (-1, 1 << 64, "x"):
            self.refused("since is", self.graph.wait, wrong)
            self.refused("since is", lambda: list(self.graph.changes(since=wrong)))
        for wrong in (float("nan"), float("inf"), -1, "x" * 50, None):
            self.refused("seconds is", self.graph.wait, 0, seconds="later")
            for name in ("lock_wait", "max_seconds"):
                self.refused(name + " is", plexus.open, os.path.join(self.folder, "h"),
                             **{name: wrong})
        for wrong in (10 ** 400, -1, float("nan")):
            self.refused("", self.graph.recall, "x", top=wrong)

    def test_what_is_no_function_and_no_cancel(self):
        self.refused("progress is 3", self.graph.find, "x", progress=3)
        self.refused("cancel is 'x'", self.graph.find, "x", cancel="x")
        self.refused("cancel is 3", self.graph.snapshot().pagerank, cancel=3)
        self.refused("log is 3", plexus.open, os.path.join(self.folder, "h"), log=3)

    @unittest.skipUnless(numpy, "no NumPy")
    def test_those_of_numpy_are_numbers(self):
        self.assertEqual(self.graph.list(top=numpy.int64(2)), self.graph.list(top=2))
        self.graph.import_records([{"node": "n", "trust": numpy.float32(0.5)}])
        self.assertEqual(self.graph.get("n")["trust"], 0.5)
        ids = self.graph.snapshot().find(numpy.array(["a", "b"]))
        self.assertEqual(list(ids), [0, 1])

    def test_paths_are_texts(self):
        self.graph.backup(to=pathlib.Path(self.folder) / "copy")
        self.assertEqual(plexus.call_at(os.path.join(self.folder, "copy"), "get", key="a")["key"],
                         "a")


class Records(Scratch):
    def test_what_is_refused_is_no_reply(self):
        refused = self.refused("not a record", self.graph.import_records, [{"nod": "x"}])
        self.assertTrue(refused.reply["stopped"])
        self.refused("records[1] is no JSON", self.graph.import_records,
                     [{"node": "x"}, {"node": object()}])
        self.refused("records[0] is no JSON", self.graph.import_records,
                     [{"node": "x", "trust": float("nan")}])
        deep = []
        for _ in range(100000):
            deep = [deep]
        self.refused("the request is no JSON", self.graph.get, deep)

    def test_whatever_has_bytes(self):
        line = b'{"node":"q"}\n'
        for number, make in enumerate((bytes, bytearray, memoryview, str,
                                       lambda b: array.array("B", b))):
            content = line.replace(b"q", b"q%d" % number)
            content = content.decode() if make is str else make(content)
            reply = self.graph.import_bytes(content, format="jsonl")
            self.assertEqual(reply["nodes"]["new"], 1, make)
        self.before = self.graph.sequence
        self.refused("content is NoneType", self.graph.import_bytes, None)
        self.refused("content is an array of I", self.graph.import_bytes, array.array("I", [1]))

    def test_what_progress_raises_is_raised(self):
        lines = "".join('{"node":"n%d"}\n' % i for i in range(1000))
        for raised in (SystemExit, KeyboardInterrupt, ValueError):
            def progress(*_):
                raise raised

            with self.assertRaises(raised):
                self.graph.import_bytes(lines, format="jsonl", progress=progress)
            with self.assertRaises(raised):  # where the operation ends well all the same
                self.graph.put_texts(["m"], ["text"], progress=progress)
        self.assertEqual(self.graph.get("a")["key"], "a")


class Columns(Scratch):
    def test_in_and_out(self):
        graph = self.graph
        self.assertEqual(graph.put_column("score", [0.5, 2], keys=["a", "x"])["added"], 1)
        graph.put_column("hits", array.array("q", [7, 8]), ids=[0, 1])
        graph.put_column("category", ["p", "yü", ""], keys=["a", "b", "c"])
        self.assertEqual(graph.put_texts(["a", "m"], ["Deploys stop.", "Zebras."])["added"], 1)
        snapshot = graph.snapshot()
        for name, keys, values in (("score", ["a", "x"], [0.5, 2.0]), ("hits", ["a", "b"], [7, 8]),
                                   ("category", ["a", "b"], ["p", "yü"])):
            nodes, found = snapshot.column(name)
            self.assertEqual((snapshot.keys(nodes), list(found)), (keys, values))
        self.assertEqual(graph.search("deploys")["results"][0]["key"], "a")
        if numpy:
            nodes, scores = snapshot.column("score")
            graph.put_column("score", scores * 2, ids=nodes)
            self.assertEqual(list(graph.snapshot().column("score")[1]), [1.0, 4.0])

    def test_wrong_ones(self):
        put = self.graph.put_column
        self.refused("value 1: not finite", put, "score", [1.0, float("inf")])
        self.refused("values: int too big", put, "hits", [1 << 70])
        self.refused("column 'trust' holds f64, the values are i64", put, "trust", [1])
        self.refused("values[1] is 3, no text", put, "category", ["a", 3])
        self.refused("values[0] is 1.0, no text", put, "text", [1.0])
        self.refused("keys has 1 elements, values has 2", put, "score", [1.0, 2.0], keys=["a"])
        self.refused("value 0: the graph has no node of id 9", put, "score", [1.0], ids=[9])
        self.refused("a column cannot be named 'node'", put, "node", [1.0])
        self.refused("values is float, no array", put, "score", 1.0)
        self.refused("name is 3, no text", put, 3, [1.0])


@unittest.skipUnless(numpy, "no NumPy")
class Arrays(Scratch):
    def test_masked_and_unaligned_ones(self):
        masked = numpy.ma.array([1, 2], mask=[0, 1], dtype=numpy.uint32)
        self.refused("sources is masked", self.graph.put_edges, masked, [1, 2])
        unaligned = numpy.zeros(9, numpy.uint8)[1:].view(numpy.uint32)
        self.refused("sources is not aligned", self.graph.put_edges, unaligned, [1, 2])
        self.refused("sources is an array of object", self.graph.put_edges,
                     numpy.array([1, 2], object), [1, 2])
        self.refused("values is no contiguous", self.graph.put_vectors,
                     numpy.asfortranarray(numpy.ones((3, 4), numpy.float32)))
        self.assertEqual(self.graph.put_edges(
            numpy.zeros(0, numpy.uint32), numpy.zeros(0, numpy.uint32))["added"], 0)


if __name__ == "__main__":
    unittest.main()
