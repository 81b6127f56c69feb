"""Graph: an open directory."""

import array
import atexit
import ctypes
import json
import os
import threading
import time
import warnings
import weakref

from . import _library as library
from . import errors
from ._arrays import ArrayIn, StringsIn
from ._library import Call, ask, byref, c_uint64, c_void_p, check, lib, sized
from ._operations import Operations
from ._reply import Reply
from ._snapshot import Snapshot, _same_length

def _plain(value):
    """Numbers and arrays of NumPy, and paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError("%r is no value of JSON" % (value,))


_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False,
                            separators=(",", ":"), default=_plain)
_encode = _encoder.encode
if json.encoder.c_make_encoder:  # what encode makes at every call
    _pieces = json.encoder.c_make_encoder(
        None, _plain, json.encoder.encode_basestring, None, ":", ",", False, False,
        False)

    def _encode(value):
        return "".join(_pieces(value, 0))


_decode = json.JSONDecoder().scan_once  # the library's JSON has no blanks around it
_open_graphs = weakref.WeakSet()
_logs = {}  # functions that the library may still call, by id


def reply_of(text, is_file=False):
    """A Reply of bytes; those of a file, and metrics, which are no JSON, stay bytes."""
    if is_file or not text.startswith(b"{"):
        return text
    reply = Reply(_decode(text.decode(), 0)[0])
    reply.bytes = text
    return reply


def _is_file(operation, parameters):
    return operation == "export" and not parameters.get("output")


def _close(handle, log):
    """The code of plexus_close. None: this is a callback of the graph, which stays open."""
    code = lib.plexus_close(handle)
    if code == errors.BY_CODE.index(errors.FailedPrecondition) and (
            b"callback" in lib.plexus_message()):
        return None
    _logs.pop(id(log), None)
    return code


def request_of(parameters, name="the request"):
    try:
        return _encode(parameters).encode() if parameters else b"{}"
    except (TypeError, ValueError, RecursionError) as wrong:
        raise errors.InvalidArgument("%s is no JSON: %s" % (name, wrong)) from None


def in_memory(max_seconds=0.0, scopes=None, log=None):
    """An empty graph in RAM, which is gone when it is closed. It has no history: changes and as_of
    are FailedPrecondition."""
    return Graph(None, False, False, False, 0.0, max_seconds, scopes, log)


def open(path, create=True, read_only=False, strict=False, lock_wait=0.0, max_seconds=0.0,
         scopes=None, log=None):
    """Opens the graph in the directory `path`, which is made where it is missing.

    `with plexus.open(path) as graph:` closes it. `lock_wait`: seconds to wait for another process
    that writes to it. `scopes`: a wall; operations see, count and write these scopes only.
    `log(level, event, line)` hears of maintenance and errors.
    """
    library.path_text(path)  # None is no path, see in_memory
    return Graph(path, create and not read_only, read_only, strict, lock_wait, max_seconds, scopes,
                 log)


def call_at(path, operation, **parameters):
    """One request to a directory that is opened for it, as the command line does: restore, repair.
    `path` None: for what needs no graph, as schema."""
    directory = None if path is None else library.path_text(path)
    request = request_of(parameters)
    name = library.text(operation, "operation")
    return reply_of(ask(lib.plexus_call_at, directory, name, request, len(request), None),
                    _is_file(operation, parameters))


class Graph(library.Owner, Operations):
    """An open graph; every operation of the program is a method. plexus.open makes it."""

    def __init__(self, path, create, read_only, strict, lock_wait, max_seconds, scopes, log):
        # `path` None: a graph in RAM. What owns its handle is made first: a signal may raise an
        # exception when plexus_open returns.
        self._handle, self._log, self._closing = library.Handle(), None, threading.Lock()
        directory = None if path is None else library.path_text(path)
        self.directory = None if path is None else os.fsdecode(directory)
        options = sized(library.OpenOptions)
        options.create, options.read_only, options.strict = create, read_only, strict
        options.lock_wait_ms = int(library.seconds(lock_wait, "lock_wait") * 1000)
        options.max_seconds = library.seconds(max_seconds, "max_seconds")
        options.scopes, options.scope_count = library.texts(scopes, "scopes")
        if library.function(log, "log"):
            def heard(_context, level, event, line):
                log(("info", "warning", "error")[level], event.decode(), line.decode())
            self._log = library.callback(library.LogFunction, heard)
            options.log = ctypes.cast(self._log, c_void_p)
            _logs[id(self._log)] = self._log
        options.in_memory = path is None
        _open_graphs.add(self)
        try:
            check(lib.plexus_open(directory, byref(options), byref(self._handle)))
        except BaseException:
            if self._handle and self._closing.acquire(False):  # a signal's, and it was opened
                _close(self._handle, self._log)
                library.interrupts.pop(threading.get_ident(), None)  # this one is raised
            raise

    def close(self):
        """Makes everything durable and closes the directory; a second call does nothing."""
        if self._closing.acquire(False):  # for good: the handle stays, and every call refuses it
            code = _close(self._handle, self._log)
            if code is None:
                self._closing.release()
                raise errors.FailedPrecondition(lib.plexus_message().decode())
            check(code)

    closed = property(lambda self: self._closing.locked())

    def __enter__(self):
        return self

    def __exit__(self, *_failure):
        self.close()

    def __del__(self, _close=_close):
        closing = getattr(self, "_closing", None)
        if closing is None or not closing.acquire(False):
            return
        if not self._handle:  # it was not opened
            _logs.pop(id(self._log), None)
            return
        if _close(self._handle, self._log) is None:  # the collector ran in its log function
            threading.Thread(target=_close, args=(self._handle, self._log)).start()
        warnings.warn("plexus: %r was not closed" % self, ResourceWarning)

    def __repr__(self):
        return "<plexus.Graph %r%s>" % (self.directory, ", closed" if self.closed else "")

    def _call(self, operation, parameters):
        if "progress" not in parameters and "cancel" not in parameters:
            return reply_of(
                library.call(self._handle, operation.encode(), request_of(parameters)),
                _is_file(operation, parameters))
        call = Call(parameters.pop("progress", None), parameters.pop("cancel", None))
        request = request_of(parameters)
        return reply_of(call.run(ask, lib.plexus_call_with, self._handle, operation.encode(),
                                 request, len(request), byref(call.options)),
                        _is_file(operation, parameters))

    # --- batches of writes

    def import_bytes(self, content, progress=None, cancel=None, **parameters):
        """The operation import for a text or bytes (whatever has them in one piece) instead of
        files; `parameters` are its. What it refuses is InvalidArgument with the member `reply`."""
        if isinstance(content, str):
            content = library.encoded(content, "content")
        given = ArrayIn(content, "uint8", "content")
        request = request_of(parameters)
        call = Call(progress, cancel)
        reply = reply_of(call.run(ask, lib.plexus_import, self._handle, request, len(request),
                                  given.pointer, len(given), byref(call.options)))
        if reply.get("stopped"):
            refused = errors.InvalidArgument(reply["messages"][0])
            refused.reply = reply
            raise refused
        return reply

    def import_records(self, records, **parameters):
        """Records as dicts: {"node": key, "kind": .., "text": ..}, {"edge": [a, b], "kind": ..}."""
        lines = b"".join(request_of(record, "records[%d]" % i) + b"\n"
                         for i, record in enumerate(records))
        return self.import_bytes(lines, format="jsonl", **parameters)

    def put_texts(self, keys, texts, kind="memory", progress=None, cancel=None):
        """A text for each key; nodes that are missing are made."""
        return self.put_column("text", list(texts), keys, kind=kind, progress=progress,
                               cancel=cancel)

    def put_column(self, name, values, keys=None, ids=None, kind=None, progress=None, cancel=None):
        """Sets a column of many nodes: `values` are an array of float64 or int64, or a list of
        texts, of which an empty one clears. The column "text" is the nodes' texts.

        The nodes are those of `keys`, a list of texts, or of `ids`, an array of uint32; without
        both value 17 is of the key "17". Nodes and the column are made where they are missing;
        `kind` is given to all of the nodes.
        """
        column, named = sized(library.ColumnValues), StringsIn(keys, "keys")
        column.column, column.keys = library.text(name, "name"), named.struct
        column.kind = library.text(kind, "kind")
        if isinstance(values, (list, tuple)) and (name == "text" or _has_text(values)):
            given = StringsIn(values, "values")
            column.texts = given.struct
        else:
            given = ArrayIn(values, _number_types(values), "values")
            setattr(column, "f64" if given.dtype == "float64" else "i64", given.pointer)
        column.count = len(given)
        if keys is not None:
            _same_length("keys", named, "values", given)
        if ids is not None:
            nodes = ArrayIn(ids, "uint32", "ids")
            _same_length("ids", nodes, "values", given)
            column.ids = nodes.pointer
        return self._put(lib.plexus_put_column, column, progress, cancel)

    def put_edges(self, sources, targets, keys=None, ids=False, kind=None, kinds=None,
                  kind_of=None, weights=None, created_at=None, progress=None, cancel=None):
        """Adds edges from arrays of uint32; nodes that are missing are made.

        The numbers are positions in `keys`, a list of texts; or with `ids` node ids; or else keys
        themselves. Lists of texts are keys, too. `kind`: of all edges, or `kinds` with the array
        `kind_of` (uint16) of positions there. `weights` (float32) and `created_at` (int64,
        milliseconds since 1970) are arrays as long.
        """
        if keys is not None and ids:
            raise errors.InvalidArgument("keys and ids exclude each other")
        if keys is None and not ids and _are_texts(sources) and _are_texts(targets):
            keys, sources, targets = _positions(sources, targets)
        edges, kept = sized(library.Edges), {}

        def array_of(name, values, dtype):
            kept[name] = ArrayIn(values, dtype, name)
            _same_length(name, kept[name], "sources", kept["sources"])
            return kept[name].pointer

        edges.sources = array_of("sources", sources, "uint32")
        edges.count = len(kept["sources"])
        edges.targets = array_of("targets", targets, "uint32")
        edges.ends = 2 if ids else 1 if keys is not None else 0
        kept["keys"], kept["kinds"] = StringsIn(keys, "keys"), StringsIn(kinds, "kinds")
        edges.keys, edges.kinds = kept["keys"].struct, kept["kinds"].struct
        edges.kind = library.text(kind, "kind")
        if kind_of is not None:
            edges.kind_of = array_of("kind_of", kind_of, "uint16")
        elif kinds is not None:
            raise errors.InvalidArgument("kinds needs kind_of")
        if weights is not None:
            edges.weights = array_of("weights", weights, "float32")
        if created_at is not None:
            edges.created_at = array_of("created_at", created_at, "int64")
        return self._put(lib.plexus_put_edges, edges, progress, cancel)

    def put_vectors(self, values, keys=None, space=None, metric=None, progress=None, cancel=None):
        """Vectors from an array of float32, a row for each key; without keys row 17 is of "17".

        The space is made where there is none: `metric` is cosine, ip or l2.
        """
        rows = ArrayIn(values, "float32", "values", dimensions=2)
        vectors = sized(library.Vectors)
        vectors.count, vectors.dimensions = rows.shape
        vectors.values = rows.pointer
        named = StringsIn(keys, "keys")
        if keys is not None:
            _same_length("keys", named, "values", rows)
        vectors.keys = named.struct
        vectors.space = library.text(space, "space")
        vectors.metric = library.text(metric, "metric")
        return self._put(lib.plexus_put_vectors, vectors, progress, cancel)

    def _put(self, function, struct, progress, cancel):
        counts, call = sized(library.Counts), Call(progress, cancel)
        call.run(lambda: check(function(self._handle, byref(struct), byref(call.options),
                                        byref(counts))))
        return {name: getattr(counts, name)
                for name in ("sequence", "nodes_added", "added", "changed", "same")}

    # --- moments

    @property
    def sequence(self):
        """The number of the last batch."""
        number = c_uint64()
        check(lib.plexus_sequence(self._handle, byref(number)))
        return number.value

    def refresh(self):
        """A read-only graph: up to what its writer has made durable."""
        check(lib.plexus_refresh(self._handle))

    def snapshot(self, as_of=None):
        """The graph as it is, or as it was: a sequence number, or a time as as_of takes it."""
        handle = library.SnapshotHandle()
        if as_of is None:
            check(lib.plexus_snapshot_of(self._handle, byref(handle)))
        else:
            moment = library.text(str(as_of), "as_of")
            check(lib.plexus_snapshot_at(self._handle, moment, byref(handle)))
        return Snapshot(handle)

    def csr(self, kinds=None, incoming=False):
        """Snapshot.csr of now."""
        return self.snapshot().csr(kinds, incoming)

    def to_networkx(self, kinds=None):
        """Snapshot.to_networkx of now."""
        return self.snapshot().to_networkx(kinds)

    def changes(self, since=0, follow=False, most=100):
        """What each batch after the sequence `since` is about, as dicts. `follow`: waits for more,
        until the graph is closed."""
        while True:
            try:
                page = self._changes_page(since, most)
            except errors.FailedPrecondition:
                if follow and self.closed:
                    return
                raise
            for batch in page["changes"]:
                yield batch
            moved, since = page["next"] != since, page["next"]
            if page["more"]:
                continue
            if not follow:
                return
            if not moved and self.sequence != since:
                time.sleep(0.005)  # a batch that is being made durable
            if not self.wait(since):
                return

    def wait(self, since, seconds=None):
        """Waits until the sequence is another one than `since`. False: the graph was closed, the
        time is up, or the interpreter ends."""
        since = library.whole(since, "since", 64)
        end = None if seconds is None else time.monotonic() + library.seconds(seconds, "seconds")
        while not _is_ending():
            left = 0.2 if end is None else min(0.2, end - time.monotonic())
            if left < 0:
                return False
            try:
                if self._wait_once(since, left) != since:
                    return True
            except errors.FailedPrecondition:
                return False
        return False

    def _wait_once(self, since, seconds):
        number = c_uint64(since)
        check(lib.plexus_wait(self._handle, since, int(seconds * 1000), byref(number)))
        return number.value

    def _changes_page(self, since, most):
        since, most = library.whole(since, "since", 64), library.whole(most, "most")
        return reply_of(ask(lib.plexus_changes, self._handle, since, most))

    @property
    def aio(self):
        """The operations as coroutines, on threads: `await graph.aio.recall(...)`."""
        from .aio import AsyncGraph

        return AsyncGraph(self)


def _has_text(values):
    return any(isinstance(value, str) for value in values)


def _number_types(values):
    """Of an array either; of a list int64 where all are whole."""
    if isinstance(values, (list, tuple, range)):
        return "int64" if values and all(isinstance(v, int) for v in values) else "float64"
    return ("float64", "int64")


def _are_texts(values):
    return isinstance(values, (list, tuple)) and bool(values) and all(
        isinstance(v, str) for v in values)


def _positions(sources, targets):
    """Keys by first appearance, and the positions of the ends among them."""
    numbers = {}
    ends = [array.array("I"), array.array("I")]
    for pair in zip(sources, targets):
        for end, key in zip(ends, pair):
            end.append(numbers.setdefault(key, len(numbers)))
    if len(sources) != len(targets):
        _same_length("targets", targets, "sources", sources)
    return list(numbers), ends[0], ends[1]


# Threads that follow a graph end before the interpreter joins them. Graphs are closed after that:
# threads that still work with one may finish.
_ending = threading.Event()
if hasattr(threading, "_register_atexit"):  # Python 3.9; it runs the last one first
    import concurrent.futures.thread  # noqa: F401, whose own function joins its threads

    threading._register_atexit(_ending.set)


def _is_ending():
    return _ending.is_set() or not threading.main_thread().is_alive()


@atexit.register
def _close_all():
    # Before the interpreter ends: a log function must not be called after it.
    for graph in list(_open_graphs):
        if graph._handle and graph._closing.acquire(False):
            _close(graph._handle, graph._log)
