"""Operations as coroutines. They run on threads: the library releases the interpreter's lock."""

import asyncio
import functools
import os
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor

from ._graph import _is_ending
from ._library import Cancel
from ._operations import AsyncOperations
from .errors import Error, FailedPrecondition


def _make_pool():
    global _pool
    _pool = ThreadPoolExecutor(thread_name_prefix="plexus")


_make_pool()
os.register_at_fork(after_in_child=_make_pool)  # the child has none of its threads


class AsyncGraph(AsyncOperations):
    """Made by Graph.aio. A coroutine that is cancelled stops its operation."""

    def __init__(self, graph):
        self._graph = graph

    async def _call(self, operation, parameters):
        cancel = parameters.setdefault("cancel", Cancel())
        return await self._run(self._graph._call, operation, parameters, cancel=cancel)

    async def _run(self, function, *arguments, cancel=None):
        future = asyncio.get_running_loop().run_in_executor(
            _pool, functools.partial(function, *arguments))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if cancel is not None:
                cancel.set()
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise

    async def import_records(self, records, **parameters):
        cancel = parameters.setdefault("cancel", Cancel())
        return await self._run(
            functools.partial(self._graph.import_records, records, **parameters), cancel=cancel)

    def changes(self, since=0, follow=False, most=100):
        """An asynchronous iterator over the batches after `since`. A wait for the next one may be
        cancelled; the iterator continues where it was."""
        return Changes(self, since, follow, most)


class Changes:
    """Made by AsyncGraph.changes."""

    def __init__(self, graph, since, follow, most):
        self._graph, self._since, self._follow, self._most = graph, since, follow, most
        self._batches, self._ended, self._reads = deque(), False, False

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self._reads:
            raise RuntimeError("another task waits for the next of these changes")
        self._reads = True
        try:
            while not self._batches and not self._ended:
                await self._read()
        finally:
            self._reads = False
        if not self._batches:
            raise StopAsyncIteration
        return self._batches.popleft()

    async def aclose(self):
        self._ended = True
        self._batches.clear()

    async def _read(self):
        graph = self._graph._graph
        try:
            page = await self._graph._run(graph._changes_page, self._since, self._most)
        except FailedPrecondition:
            if not (self._follow and graph.closed):
                raise
            self._ended = True
            return
        moved, self._since = page["next"] != self._since, page["next"]
        self._batches.extend(page["changes"])
        if page["more"] or self._batches:
            return
        if not self._follow:
            self._ended = True
        elif not moved and graph.sequence != self._since:
            await asyncio.sleep(0.005)  # a batch that is being made durable
        elif not await _moves(graph, self._since):
            self._ended = True


async def _moves(graph, since):
    """Whether the sequence becomes another one; False when the graph is closed before. A thread of
    its own waits, so that those of the pool are free for operations, and looks often whether it is
    still wanted."""
    loop = asyncio.get_running_loop()
    future, stop = loop.create_future(), threading.Event()

    def settle(moved):
        if not future.done():
            future.set_result(moved)

    def watch():
        moved = False
        try:
            while not (stop.is_set() or moved or _is_ending()):
                moved = graph._wait_once(since, 0.1) != since
        except Error:
            pass  # closed
        try:
            loop.call_soon_threadsafe(settle, moved)
        except RuntimeError:
            pass  # the loop is closed

    threading.Thread(target=watch, name="plexus-changes", daemon=True).start()
    try:
        return await future
    finally:
        stop.set()
