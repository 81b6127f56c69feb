"""What the Python package costs; run by hand: EDGES=n GRAPH=dir run.sh python3 BUILD_DIR measure.py

A call (c_measure times the same request through C), memory over 10^5 calls, edges from arrays and
PageRank (c_measure has the same). Times are of the processor.
"""

import os
import resource
import shutil
import tempfile
import time

import numpy

import plexus
from plexus import _graph, _library

def rank(snapshot):
    best = 1e9
    for _ in range(9):
        start = time.process_time()
        scores = snapshot.pagerank(iterations=20)
        best = min(best, time.process_time() - start)
    bits = numpy.bitwise_xor.reduce(scores.view(numpy.uint64))
    print("pagerank, 20 iterations: %.4f s, bits %016x" % (best, bits))


folder = tempfile.mkdtemp()
try:
    with plexus.open(os.path.join(folder, "g")) as graph:
        graph.put("m1", text="a")

        def timed(name, count, function):
            best = 1.0
            for _ in range(5):
                start = time.process_time()
                for _ in range(count):
                    function()
                best = min(best, (time.process_time() - start) / count)
            print("%-34s %8.2f us" % (name, best * 1e6))

        request = _graph.request_of({"key": "m1"})
        text = graph.get("m1").bytes
        timed("get: plexus_call by ctypes", 20000, lambda: _library.call(
            graph._handle, b"get", request))
        timed("graph.get('m1')", 20000, lambda: graph.get("m1"))
        timed("graph.conflicts.list()", 20000, lambda: graph.conflicts.list())
        timed("the sequence (no operation)", 20000,
              lambda: graph.sequence)
        timed("JSON of request and reply", 20000, lambda: _graph.reply_of(text))
        timed("an empty call by ctypes", 20000,
              lambda: _library.lib.plexus_result_free(None))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(100000):
            graph.get("m1")
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print("10^5 calls: %d KiB more" % (after - before))

    count = int(os.environ.get("EDGES", "4000000"))
    mixed = numpy.arange(2 * count, dtype=numpy.uint32) * numpy.uint32(2654435761)
    mixed = (mixed ^ (mixed >> numpy.uint32(15))) * numpy.uint32(2246822519)
    ends = (mixed ^ (mixed >> numpy.uint32(13))) % numpy.uint32(count // 8)
    sources, targets = ends[:count], ends[count:]
    with plexus.open(os.path.join(folder, "e")) as graph:
        start = time.process_time()
        graph.put_edges(sources, targets)
        seconds = time.process_time() - start
        print("put_edges: %.2f s, %.1f M edges/s" % (seconds, count / seconds / 1e6))
        rank(graph.snapshot())
    if "GRAPH" in os.environ:
        with plexus.open(os.environ["GRAPH"], read_only=True) as graph:
            rank(graph.snapshot())
finally:
    shutil.rmtree(folder)
