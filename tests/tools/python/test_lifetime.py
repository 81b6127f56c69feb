"""Closing, threads, fork and the end of the interpreter: an error or the right answer."""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest

import plexus


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "graph")

    def run_program(self, text):
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(text), self.path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
            timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class Lifetime(Scratch):
    def test_a_closed_graph_says_so(self):
        with plexus.open(self.path) as graph:
            graph.put("m1", text="a")
            snapshot = graph.snapshot()
        self.assertTrue(graph.closed)
        graph.close()
        for use in (lambda: graph.get("m1"), lambda: graph.sequence, graph.snapshot, graph.refresh,
                    lambda: graph.put_edges([1], [2])):
            with self.assertRaises(plexus.Error):
                use()
        self.assertIn("m1", snapshot.keys())

    def test_threads_that_use_and_close(self):
        for i in range(10):
            graph = plexus.open(self.path)
            graph.put("n%d" % i)
            wrong = []

            def use():
                try:
                    for _ in range(20):
                        graph.kinds()
                        graph.snapshot()
                        list(graph.changes())
                except plexus.FailedPrecondition:
                    pass
                except BaseException as error:
                    wrong.append(error)

            threads = [threading.Thread(target=use) for _ in range(3)]
            threads += [threading.Thread(target=graph.close) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])

    def test_other_threads_run_meanwhile(self):
        with plexus.open(self.path) as graph:
            counted, stop = [0], threading.Event()

            def count():
                while not stop.is_set():
                    counted[0] += 1

            thread = threading.Thread(target=count)
            thread.start()
            before = counted[0]
            graph.wait(graph.sequence, seconds=0.2)  # in the library all the time
            after = counted[0]
            stop.set()
            thread.join()
            self.assertGreater(after, before)

    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "a sanitizer keeps what is freed")
    def test_memory_is_flat(self):
        # A process of its own: what it has now, not the most that other tests ever had.
        self.run_program("""
            import sys, plexus

            def resident():
                with open("/proc/self/status") as status:
                    return [int(l.split()[1]) for l in status if l.startswith("VmRSS:")][0]

            with plexus.open(sys.argv[1]) as graph:
                graph.put("m1", text="a")
                for _ in range(2000):
                    graph.get("m1")
                before = resident()
                for _ in range(20000):
                    graph.get("m1")
                grown = resident() - before
                assert grown < 4096, grown  # KiB; a leak of 300 bytes a call is more
        """)

    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "a sanitizer has its own malloc")
    def test_opens_leave_nothing(self):
        self.run_program("""
            import ctypes, gc, os, sys, plexus

            class Allocated(ctypes.Structure):
                _fields_ = [(name, ctypes.c_size_t) for name in "abcdefghij"]

            malloc = ctypes.CDLL(None)
            if hasattr(malloc, "mallinfo2"):
                malloc.mallinfo2.restype = Allocated

            def counted():
                gc.collect()
                used = malloc.mallinfo2().h if hasattr(malloc, "mallinfo2") else 0
                return [len(os.listdir("/proc/self/" + name)) for name in ("fd", "task")] + [used]

            before = None
            for i in range(120):
                with plexus.open(sys.argv[1]) as graph:
                    graph.put("m%d" % (i % 3), text="a")
                    assert abs(sum(graph.snapshot().pagerank()) - 1) < 1e-9
                if i == 39:
                    before = counted()
            more = [after - then for after, then in zip(counted(), before)]
            print(more)
            assert more[0] == 0 and more[1] < 5 and more[2] < 80 * 2048, more
        """)

    def test_the_interpreter_ends_with_followers(self):
        out = self.run_program("""
            import asyncio, sys, threading, plexus
            graph = plexus.open(sys.argv[1])
            graph.put("m1", text="a")

            def follow():
                for batch in graph.changes(follow=True):
                    pass
                graph.put("m2", text="the graph is open while threads work")

            async def wait():
                async for batch in graph.aio.changes(follow=True):
                    pass

            threading.Thread(target=follow).start()
            try:
                asyncio.run(asyncio.wait_for(wait(), 0.3))
            except asyncio.TimeoutError:
                print("ends", flush=True)
        """)
        self.assertEqual(out.split(), ["ends"])
        with plexus.open(self.path, create=False) as graph:
            self.assertEqual(graph.get("m2")["key"], "m2")

    def test_a_callback_that_calls_its_graph(self):
        refused = []
        with plexus.open(self.path) as graph:
            def progress(*_):
                for use in (graph.stats, graph.close):
                    try:
                        use()
                    except plexus.FailedPrecondition as error:
                        refused.append("callback" in str(error))

            graph.import_records([{"node": "m1"}], progress=progress)
            self.assertGreater(len(refused), 0)
            self.assertTrue(all(refused))
            self.assertFalse(graph.closed)
            self.assertEqual(graph.get("m1")["key"], "m1")
        self.assertTrue(graph.closed)
        plexus.open(self.path, create=False).close()

    def test_a_signal_while_open_waits(self):
        for log in ("None", "lambda *line: None"):
            out = self.run_program("""
                import os, signal, subprocess, sys, threading, plexus
                holds = ("import sys, plexus\\nwith plexus.open(sys.argv[1]) as graph:\\n"
                         " graph.put('a')\\n print('holds', flush=True)\\n sys.stdin.read()")
                holder = subprocess.Popen([sys.executable, "-c", holds, sys.argv[1]],
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                holder.stdout.readline()

                def interrupt():
                    os.kill(os.getpid(), signal.SIGINT)
                    holder.stdin.close()

                threading.Timer(0.5, interrupt).start()
                try:
                    plexus.open(sys.argv[1], lock_wait=60, log=LOG)
                except KeyboardInterrupt as raised:
                    sys.last_value = raised  # as an interactive shell keeps it
                    print("interrupted")
                holder.wait()
                with plexus.open(sys.argv[1], create=False) as graph:
                    print(graph.get("a")["key"])
            """.replace("LOG", log))
            self.assertEqual(out.split(), ["interrupted", "a"], log)

    def test_a_graph_that_is_lost_in_its_log_function(self):
        # As the collector may do to one that lies in a cycle.
        out = self.run_program("""
            import sys, threading, plexus
            from plexus import _library
            kept, heard = [], []

            def log(level, event, line):
                heard.append(event)
                kept.clear()

            graph = plexus.open(sys.argv[1], log=log)
            kept.append(graph)
            handle = graph._handle
            del graph
            _library.call(handle, b"checkpoint", b"{}")
            assert not kept
            for thread in threading.enumerate():
                if thread is not threading.current_thread():
                    thread.join()
            plexus.open(sys.argv[1], create=False).close()
            print(heard[-1])
        """)
        self.assertEqual(out.split(), ["close.ended"])

    def test_what_a_log_function_raises(self):
        out = self.run_program("""
            import sys, plexus

            def log(*line):
                raise now[0]

            for now in ([SystemExit(3)], [KeyboardInterrupt()]):
                try:
                    plexus.open(sys.argv[1], log=log)
                except (SystemExit, KeyboardInterrupt) as raised:
                    print(raised is now[0])
                plexus.open(sys.argv[1]).close()
        """)
        self.assertEqual(out.split(), ["True", "True"])

    def test_a_signal_in_a_callback(self):
        out = self.run_program("""
            import signal, sys, plexus
            lines = "".join('{"node":"n%d"}\\n' % i for i in range(3000))
            with plexus.open(sys.argv[1]) as graph:
                def progress(*_):
                    signal.raise_signal(signal.SIGINT)

                try:
                    graph.import_bytes(lines, format="jsonl", progress=progress)
                except KeyboardInterrupt:
                    print("interrupted")
        """)
        self.assertEqual(out.split(), ["interrupted"])

    def test_the_interpreter_ends_with_open_graphs(self):
        self.run_program("""
            import sys, plexus
            graph = plexus.open(sys.argv[1], log=lambda *line: None)
            graph.put("m1", text="kept")
            scores = graph.snapshot().pagerank()
        """)
        with plexus.open(self.path, create=False) as graph:
            self.assertEqual(graph.get("m1")["text"], "kept")

    def test_processes_of_multiprocessing(self):
        program = os.path.join(self.folder, "program.py")
        with open(program, "w") as file:
            file.write(textwrap.dedent("""
                import multiprocessing, sys, plexus

                def use(path, answers):
                    try:
                        answers.put(graph.get("m1")["text"])
                    except (NameError, plexus.FailedPrecondition) as error:
                        answers.put(type(error).__name__)
                    with plexus.open(path, read_only=True) as other:
                        answers.put(other.get("m1")["text"])

                if __name__ == "__main__":
                    graph = plexus.open(sys.argv[1])
                    graph.put("m1", text="kept")
                    for way in ("fork", "spawn"):
                        context = multiprocessing.get_context(way)
                        answers = context.Queue()
                        child = context.Process(target=use, args=(sys.argv[1], answers))
                        child.start()
                        print(way, answers.get(timeout=60), answers.get(timeout=60))
                        child.join(60)
                        print(child.exitcode)
                        try:
                            context.Process(target=graph.get).start()
                        except TypeError:  # spawn would pickle it
                            print("refused")
                    graph.put("m2", text="writes on")
                    graph.close()
            """))
        done = subprocess.run([sys.executable, program, self.path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split(), ["fork", "FailedPrecondition", "kept", "0", "spawn",
                                               "NameError", "kept", "0", "refused"])

    def test_coroutines_in_a_child_of_fork(self):
        out = self.run_program("""
            import asyncio, os, signal, sys, plexus

            async def ask(graph):
                return (await graph.aio.get("m1"))["key"]

            with plexus.open(sys.argv[1]) as graph:
                graph.put("m1")
                print(asyncio.run(ask(graph)), flush=True)
                child = os.fork()
                if child == 0:
                    signal.alarm(60)
                    other = plexus.open(sys.argv[1], read_only=True)
                    print(asyncio.run(ask(other)), flush=True)
                    other.close()
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
        """)
        self.assertEqual(out.split(), ["m1", "m1"])

    def test_a_child_of_fork(self):
        out = self.run_program("""
            import os, sys, plexus
            graph = plexus.open(sys.argv[1])
            graph.put("m1", text="a")
            scores = graph.snapshot().pagerank()
            child = os.fork()
            if child == 0:
                try:
                    graph.put("m2", text="b")
                except plexus.FailedPrecondition as error:
                    print(float(sum(scores)) > 0.99, "fork" in str(error), flush=True)
                try:
                    graph.close()
                except plexus.FailedPrecondition:
                    print("closed", flush=True)
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            graph.put("m2", text="b")
            graph.close()
        """)
        self.assertEqual(out.split(), ["True", "True", "closed"])


if __name__ == "__main__":
    unittest.main()
