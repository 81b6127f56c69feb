"""What the Python package costs; run by hand: run.sh python3 BUILD_DIR measure.py

A call (c_measure times the same request through C), memory over 10^5 calls, edges from arrays and
PageRank (c_measure does the same of as many edges).
"""

import os
import resource
import shutil
import tempfile
import time

import numpy

import plexus
from plexus import _graph, _library

folder = tempfile.mkdtemp()
try:
    with plexus.open(os.path.join(folder, "g")) as graph:
        graph.put("m1", text="a")

        def timed(name, count, function):
            for _ in range(count // 10):
                function()
            start = time.perf_counter()
            for _ in range(count):
                function()
            each = (time.perf_counter() - start) / count
            print("%-34s %8.2f us" % (name, each * 1e6))
            return each

        request = _graph.request_of({"key": "m1"})
        raw = timed("get: plexus_call by ctypes", 20000, lambda: _library.ask(
            _library.lib.plexus_call, graph._handle, b"get", request, len(request)))
        whole = timed("graph.get('m1')", 20000, lambda: graph.get("m1"))
        closed = timed("a refused handle by ctypes (no operation)", 20000,
                       lambda: _library.lib.plexus_result_free(None))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(100000):
            graph.get("m1")
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print("10^5 calls: %d KiB more" % (after - before))

    count = int(os.environ.get("EDGES", "4000000"))
    random = numpy.random.default_rng(7)
    sources = random.integers(0, count // 8, count, dtype=numpy.uint32)
    targets = random.integers(0, count // 8, count, dtype=numpy.uint32)
    with plexus.open(os.path.join(folder, "e")) as graph:
        start = time.perf_counter()
        graph.put_edges(sources, targets)
        seconds = time.perf_counter() - start
        print("put_edges: %.2f s, %.1f M edges/s" % (seconds, count / seconds / 1e6))
        snapshot = graph.snapshot()
        for _ in range(3):
            start = time.perf_counter()
            snapshot.pagerank(iterations=20)
            print("pagerank, 20 iterations: %.3f s" % (time.perf_counter() - start))
finally:
    shutil.rmtree(folder)
