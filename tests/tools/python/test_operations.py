"""Operations as methods: names, errors, replies, coroutines. Their bytes: test_table.py."""

import array
import ast
import asyncio
import inspect
import json
import os
import shutil
import tempfile
import threading
import unittest

import plexus
from plexus import _operations, aio

NOW = 1790000000000
LINES = [
    {"node": "m1", "kind": "memory", "text": "Deploys stop on Fridays.", "tags": ["deploy"]},
    {"node": "m2", "kind": "memory", "text": "The gateway needs two reviews."},
    {"node": "m3", "kind": "memory", "text": "Deploys go through the gateway."},
    {"node": "d1", "kind": "decision", "text": "One writer"},
    {"node": "d2", "kind": "decision", "text": "Readers take snapshots"},
    {"node": "c1", "kind": "concept", "text": "care"},
    {"edge": ["m3", "m1"], "kind": "supports", "weight": 0.5},
    {"edge": ["m3", "m2"], "kind": "supports", "weight": 0.25},
    {"edge": ["m2", "m1"], "kind": "contradicts"},
    {"edge": ["d2", "d1"], "kind": "depends_on"},
    {"event": "e1", "tool": "t", "query": "q", "created_at": NOW,
     "members": [{"id": "m1", "role": "primary"}, {"id": "m2", "role": "supporting"}]},
]
class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "graph")

    def filled(self):
        graph = plexus.open(self.path)
        self.addCleanup(graph.close)
        graph.import_records(LINES, now=str(NOW))
        return graph


class Methods(Scratch):
    def test_every_row_is_a_method_with_its_words(self):
        for row in plexus.call_at(None, "schema")["operations"]:
            name = row["operation"]
            family, _, rest = name.partition("_")
            owner = getattr(_operations, family.capitalize() + "Operations", None)
            method = getattr(owner, rest) if owner and rest else getattr(
                plexus.Graph, name + "_" if name == "import" else name)
            self.assertTrue(method.__doc__.startswith(row["summary"]), name)
            for parameter in row["request"]["properties"]:
                self.assertIn(parameter, method.__doc__)

    def test_stubs_have_the_methods(self):
        with open(os.path.splitext(_operations.__file__)[0] + ".pyi") as file:
            stub = ast.parse(file.read())
        classes = {c.name: {f.name for f in c.body} for c in stub.body
                   if isinstance(c, ast.ClassDef)}
        for name in ("Operations", "LedgerOperations", "DecisionsOperations"):
            made = getattr(_operations, name)
            methods = {n for n, m in vars(made).items()
                       if (inspect.isfunction(m) or isinstance(m, property)) and n[0] != "_"}
            self.assertEqual(classes[name], methods)
            self.assertEqual(classes["Async" + name], methods)
        for name in classes:
            self.assertTrue(inspect.isclass(getattr(_operations, name)), name)
        bases = ast.parse(inspect.getsource(aio.AsyncGraph)).body[0].bases  # as checkers read them
        self.assertEqual([base.id for base in bases], ["AsyncOperations"])
        replies = {f.returns.id for c in stub.body if isinstance(c, ast.ClassDef)
                   for f in c.body if f.name in ("export", "stats")}
        self.assertEqual(replies, {"Reply", "bytes"})

    def test_names_of_python_are_spelled_with_an_underscore(self):
        graph = self.filled()
        found = graph.path(from_="m3", to="m1")
        self.assertEqual(found, graph._call("path", {"from": "m3", "to": "m1"}))
        self.assertEqual(graph.ledger.recent()["events"][0]["event_id"], "e1")

    def test_a_none_is_left_out(self):
        graph = self.filled()
        self.assertEqual(graph.find("deploys", kinds=None), graph.find("deploys"))

    def test_no_member_of_a_graph_hides_an_operation(self):
        graph = self.filled()
        own = set(vars(graph)) | set(vars(plexus.Graph))
        self.assertEqual(own & {n for n in vars(_operations.Operations) if n[0] != "_"}, set())


class Failures(Scratch):
    def test_codes_are_exceptions(self):
        graph = self.filled()
        with self.assertRaises(plexus.NotFound) as caught:
            graph.get("none")
        self.assertIsInstance(caught.exception, LookupError)
        self.assertIn("none", str(caught.exception))
        with self.assertRaises(ValueError) as caught:
            graph.recall("deploys", tpo=3)
        self.assertIn("top", caught.exception.message)
        with self.assertRaises(plexus.InvalidArgument):
            graph.recall("deploys", top=object())
        with self.assertRaises(plexus.InvalidArgument):
            graph.put("k", expect_sequence=float("nan"))
        with self.assertRaises(TypeError):
            graph.get()
        with self.assertRaises(plexus.Locked):
            plexus.open(self.path)
        with self.assertRaises(plexus.NotFound):
            plexus.open(os.path.join(self.folder, "no"), create=False)

    def test_paths_and_nul(self):
        path = os.fsencode(os.path.join(self.folder, "gr\xe4ph"))
        with plexus.open(path) as graph:
            graph.put("m1", text="a")
            self.assertEqual(graph.directory, os.fsdecode(path))
            for name, use in (
                    ("kind", lambda: graph.put_edges([1], [2], kind="a\0b")),
                    ("kinds[1]", lambda: graph.csr(kinds=["a", "b\0c"])),
                    ("space", lambda: graph.snapshot().vectors("a\0b"))):
                with self.assertRaises(plexus.InvalidArgument) as caught:
                    use()
                self.assertIn(name + " has a NUL", str(caught.exception))
        self.assertEqual(os.listdir(os.fsencode(self.folder)), [os.path.basename(path)])
        for wrong in ("g\0h", b"g\0h", 7):
            with self.assertRaises(plexus.InvalidArgument) as caught:
                plexus.open(wrong)
            self.assertIn("path", str(caught.exception))
        self.assertEqual(plexus.call_at(path, "get", key="m1")["key"], "m1")

    def test_a_read_only_graph_says_so(self):
        self.filled().close()
        with plexus.open(self.path, read_only=True) as graph:
            for use in (lambda: graph.put("m9"), lambda: graph.put_edges([1], [2]),
                        lambda: graph.import_records([{"node": "m9"}])):
                with self.assertRaises(plexus.ReadOnly):
                    use()

    def test_an_exception_of_progress_is_raised(self):
        graph = self.filled()

        def fail(phase, done, total):
            raise KeyError(phase)

        lines = "".join('{"node":"n%d","text":"%s"}\n' % (i, "word " * 50) for i in range(20000))
        with self.assertRaises(KeyError):
            graph.import_bytes(lines, format="jsonl", progress=fail)
        with self.assertRaises(plexus.Cancelled):
            graph.import_bytes(lines, format="jsonl", progress=lambda *_: False)
        cancel = plexus.Cancel()
        cancel.set()
        with self.assertRaises(plexus.Cancelled):
            graph.import_bytes(lines, format="jsonl", cancel=cancel)


class Replies(Scratch):
    def test_a_reply_is_a_dict(self):
        reply = self.filled().list(top=0)
        self.assertIsInstance(reply, dict)
        self.assertEqual(json.loads(reply.bytes.decode()), reply)
        self.assertEqual(len(reply.rows()), 6)

    def test_an_export_is_bytes(self):
        graph = plexus.open(self.path)
        self.addCleanup(graph.close)
        memory = memoryview(array.array("f", [-1, 2, 0, 0.5])).cast("B").cast("f", (2, 2))
        graph.put_vectors(memory, ["{a", "b"])
        for format in ("jsonl", "mcp-memory", "f32", "dot", "node-link"):
            with self.subTest(format):
                file = os.path.join(self.folder, format)
                self.assertIsInstance(graph.export(format=format, output=file), plexus.Reply)
                with open(file, "rb") as written:
                    expected = written.read()
                for got in (graph.export(format=format),
                            graph.export(format=format, progress=lambda *_: True),
                            asyncio.run(self.coroutine(graph, format))):
                    self.assertEqual((type(got), got), (bytes, expected))
        records = [json.loads(line) for line in graph.export().splitlines()]
        self.assertEqual([r["node"] for r in records if "node" in r], ["{a", "b"])
        self.assertEqual(len(graph.export(format="mcp-memory").splitlines()), 2)
        self.assertTrue(graph.stats(metrics=True).startswith(b"# "))
        expected = graph.export()
        graph.close()
        self.assertEqual(plexus.call_at(self.path, "export"), expected)

    @staticmethod
    async def coroutine(graph, format):
        return await graph.aio.export(format=format)

    def test_tables_of_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        table = self.filled().list().to_pandas()
        self.assertIsInstance(table, pandas.DataFrame)
        self.assertIn("m1", set(table["key"]))

    def test_graphs_of_networkx(self):
        try:
            import networkx
        except ImportError:
            self.skipTest("no NetworkX")
        graph = self.filled()
        around = graph.neighborhood(from_=["m3"], hops=2).to_networkx()
        self.assertTrue(around.has_edge("m3", "m1"))
        whole = graph.to_networkx(kinds=["supports"])
        self.assertEqual(whole["m3"]["m1"]["weight"], 0.5)
        self.assertEqual(whole.number_of_edges(), 2)
        self.assertEqual(networkx.shortest_path(whole, "m3", "m2"), ["m3", "m2"])


class Following(Scratch):
    def test_changes_are_iterated(self):
        graph = self.filled()
        before = graph.sequence
        seen = list(graph.changes())
        self.assertEqual([batch["sequence"] for batch in seen], list(range(1, before + 1)))
        heard = []

        def follow():
            for batch in graph.changes(since=before, follow=True):
                heard.append(batch)

        thread = threading.Thread(target=follow)
        thread.start()
        graph.put("m9", text="nine")
        graph.put("m10", text="ten")
        while not any("m10" in batch["nodes"] for batch in heard):
            self.assertTrue(thread.is_alive())
            thread.join(0.01)
        graph.close()
        thread.join(60)
        self.assertFalse(thread.is_alive())

    def test_they_end_when_the_graph_is_closed_between_two_pages(self):
        graph = self.filled()
        for i in range(5):
            graph.put("n%d" % i)
        seen = []
        for batch in graph.changes(follow=True, most=2):
            seen.append(batch["sequence"])
            graph.close()
        self.assertEqual(seen, [1, 2])
        with self.assertRaises(plexus.FailedPrecondition):
            list(graph.changes())

        async def follow():
            with plexus.open(self.path) as again:
                seen.clear()
                async for batch in again.aio.changes(follow=True, most=2):
                    seen.append(batch["sequence"])
                    again.close()

        asyncio.run(asyncio.wait_for(follow(), 60))
        self.assertEqual(seen, [1, 2])

    def test_a_cancelled_import_ends(self):
        graph = plexus.open(self.path)
        self.addCleanup(graph.close)
        cancelled = threading.Event()
        records = [{"node": "n%d" % i, "text": "word " * 60} for i in range(30000)]

        async def ask():
            loop = asyncio.get_running_loop()

            def progress(*_):
                if not cancelled.is_set():
                    loop.call_soon_threadsafe(task.cancel)
                    cancelled.wait(60)
                return True

            task = asyncio.ensure_future(graph.aio.import_records(records, progress=progress))
            with self.assertRaises(asyncio.CancelledError):
                await task
            cancelled.set()

        asyncio.run(ask())
        graph.put("last")  # writes wait for one another
        self.assertEqual(graph.snapshot().nodes, 1)

    def test_coroutines(self):
        graph = self.filled()

        async def ask():
            replies = await asyncio.gather(
                graph.aio.recall("deploys"), graph.aio.ledger.recent(), graph.aio.get("m1"))
            changes = [batch async for batch in graph.aio.changes()]
            with self.assertRaises(plexus.NotFound):
                await graph.aio.get("none")
            return replies, changes

        (recalled, recent, got), changes = asyncio.run(ask())
        self.assertEqual([hit["key"] for hit in recalled["hits"]],
                         [hit["key"] for hit in graph.recall("deploys")["hits"]])
        self.assertEqual(recent, graph.ledger.recent())
        self.assertEqual(got, graph.get("m1"))
        self.assertEqual(len(changes), graph.sequence)

    def test_followers_leave_the_threads_of_operations_free(self):
        graph = self.filled()
        followers = (os.cpu_count() or 1) + 40

        async def follow(since, count):
            seen = []
            async for batch in graph.aio.changes(since=since, follow=True):
                seen.append(batch["sequence"])
                if len(seen) == count:
                    return seen

        async def ask():
            since = graph.sequence
            tasks = [asyncio.ensure_future(follow(since, 2)) for _ in range(followers)]
            await asyncio.sleep(0)
            for key in ("m9", "m10"):
                await asyncio.wait_for(graph.aio.put(key), 60)
            return await asyncio.wait_for(asyncio.gather(*tasks), 60)

        seen = asyncio.run(ask())
        self.assertEqual(len(seen), followers)
        self.assertEqual(seen, [seen[0]] * followers)

    def test_a_cancelled_wait_for_changes_loses_nothing(self):
        graph = self.filled()

        async def ask():
            changes = graph.aio.changes(since=graph.sequence, follow=True)
            for _ in range(3):
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(changes.__anext__(), 0.02)
            await graph.aio.put("m9")
            batch = await asyncio.wait_for(changes.__anext__(), 60)
            self.assertIn("m9", batch["nodes"])
            waiting = asyncio.ensure_future(changes.__anext__())
            await asyncio.sleep(0.02)
            with self.assertRaises(RuntimeError):
                await changes.__anext__()
            graph.close()
            with self.assertRaises(StopAsyncIteration):
                await asyncio.wait_for(waiting, 60)

        asyncio.run(ask())

    def test_a_cancelled_coroutine_ends_its_operation(self):
        graph = self.filled()

        async def ask():
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(graph.aio.betweenness(samples=0), 0)

        asyncio.run(ask())
        self.assertEqual(graph.get("m1")["key"], "m1")


if __name__ == "__main__":
    unittest.main()
