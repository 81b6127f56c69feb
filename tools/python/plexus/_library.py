"""libplexus.so.0 by ctypes: structs of plexus.h, and functions whose failures are exceptions."""

import ctypes
import functools
import os
import sys
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_size_t, c_uint64, c_void_p

from . import errors

_HERE = os.path.dirname(os.path.abspath(__file__))


def _load():
    named = os.environ.get("PLEXUS_LIBRARY")
    packaged = os.path.join(_HERE, "libplexus.so.0")
    if not named and os.path.exists(packaged):
        named = packaged
    return ctypes.CDLL(named or "libplexus.so.0")


lib = _load()


class Handle(c_void_p):
    """A field of this type is read as an instance, which a call takes as it is."""


class Text(ctypes.Structure):
    """A reply; its memory is freed with it."""

    _fields_ = [("data", c_char_p), ("length", c_uint64), ("owner", Handle)]

    def __del__(self):
        _free(self.owner)


class OpenOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_uint64), ("create", c_int32), ("read_only", c_int32), ("strict", c_int32),
        ("unused", c_int32), ("lock_wait_ms", ctypes.c_int64), ("max_seconds", c_double),
        ("scopes", POINTER(c_char_p)), ("scope_count", c_uint64), ("log", c_void_p),
        ("log_context", c_void_p), ("in_memory", c_int32), ("reserved", c_int32),
    ]


class CallOptions(ctypes.Structure):
    _fields_ = [("size", c_uint64), ("progress", c_void_p), ("progress_context", c_void_p),
                ("cancel", c_void_p)]


class Strings(ctypes.Structure):
    _fields_ = [("bytes", c_char_p), ("byte_count", c_uint64), ("offsets", c_void_p),
                ("count", c_uint64)]


class Edges(ctypes.Structure):
    _fields_ = [
        ("size", c_uint64), ("count", c_uint64), ("sources", c_void_p), ("targets", c_void_p),
        ("ends", c_int32), ("reserved", c_int32), ("keys", Strings), ("kind", c_char_p),
        ("kinds", Strings), ("kind_of", c_void_p), ("weights", c_void_p),
        ("created_at", c_void_p),
    ]


class Counts(ctypes.Structure):
    _fields_ = [("size", c_uint64), ("sequence", c_uint64), ("nodes_added", c_uint64),
                ("added", c_uint64), ("changed", c_uint64), ("same", c_uint64)]


class Vectors(ctypes.Structure):
    _fields_ = [("size", c_uint64), ("count", c_uint64), ("dimensions", c_uint64),
                ("values", c_void_p), ("keys", Strings), ("space", c_char_p),
                ("metric", c_char_p)]


class ColumnValues(ctypes.Structure):
    _fields_ = [
        ("size", c_uint64), ("count", c_uint64), ("column", c_char_p), ("keys", Strings),
        ("ids", c_void_p), ("f64", c_void_p), ("i64", c_void_p), ("texts", Strings),
        ("kind", c_char_p),
    ]


class SnapshotInfo(ctypes.Structure):
    _fields_ = [("size", c_uint64), ("sequence", c_uint64), ("time_ms", ctypes.c_int64),
                ("node_count", c_uint64), ("nodes", c_uint64), ("edges", c_uint64)]


class ArrayView(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("rows", c_uint64), ("columns", c_uint64),
                ("type", c_int32), ("reserved", c_int32)]


class PageRankOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_uint64), ("damping", c_double), ("tolerance", c_double),
        ("iterations", c_int32), ("unweighted", c_int32), ("kinds", POINTER(c_char_p)),
        ("kind_count", c_uint64), ("seeds", c_void_p), ("seed_weights", c_void_p),
        ("seed_count", c_uint64), ("cancel", c_void_p),
    ]


class CsrOptions(ctypes.Structure):
    _fields_ = [("size", c_uint64), ("kinds", POINTER(c_char_p)), ("kind_count", c_uint64),
                ("incoming", c_int32), ("no_weights", c_int32)]


def sized(struct):
    """An empty struct that says its size."""
    made = struct()
    made.size = ctypes.sizeof(struct)
    return made


ProgressFunction = ctypes.CFUNCTYPE(c_int32, c_void_p, c_char_p, c_uint64, c_uint64)
LogFunction = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p, c_char_p)

_HANDLE, _SIZE = c_void_p, c_size_t
for _name, _arguments in {
    "plexus_open": [c_char_p, c_void_p, c_void_p],
    "plexus_close": [_HANDLE],
    "plexus_sequence": [_HANDLE, c_void_p],
    "plexus_refresh": [_HANDLE],
    "plexus_call": [_HANDLE, c_char_p, c_char_p, _SIZE, c_void_p],
    "plexus_call_with": [_HANDLE, c_char_p, c_char_p, _SIZE, c_void_p, c_void_p],
    "plexus_call_at": [c_char_p, c_char_p, c_char_p, _SIZE, c_void_p, c_void_p],
    "plexus_import": [_HANDLE, c_char_p, _SIZE, c_void_p, _SIZE, c_void_p, c_void_p],
    "plexus_changes": [_HANDLE, c_uint64, c_uint64, c_void_p],
    "plexus_wait": [_HANDLE, c_uint64, c_int32, c_void_p],
    "plexus_reply_code": [_HANDLE],
    "plexus_result_free": [_HANDLE],
    "plexus_result_array": [_HANDLE, c_char_p, c_void_p],
    "plexus_cancel_new": [c_void_p],
    "plexus_cancel_set": [_HANDLE],
    "plexus_cancel_free": [_HANDLE],
    "plexus_put_edges": [_HANDLE, c_void_p, c_void_p, c_void_p],
    "plexus_put_vectors": [_HANDLE, c_void_p, c_void_p, c_void_p],
    "plexus_put_column": [_HANDLE, c_void_p, c_void_p, c_void_p],
    "plexus_snapshot_of": [_HANDLE, c_void_p],
    "plexus_snapshot_at": [_HANDLE, c_char_p, c_void_p],
    "plexus_snapshot_free": [_HANDLE],
    "plexus_snapshot_about": [_HANDLE, c_void_p],
    "plexus_find": [_HANDLE, c_void_p, c_void_p],
    "plexus_keys": [_HANDLE, c_void_p, c_uint64, c_void_p],
    "plexus_pagerank": [_HANDLE, c_void_p, c_void_p],
    "plexus_csr": [_HANDLE, c_void_p, c_void_p],
    "plexus_space": [_HANDLE, c_char_p, c_void_p],
    "plexus_column": [_HANDLE, c_char_p, c_void_p],
}.items():
    getattr(lib, _name).argtypes = _arguments
    getattr(lib, _name).restype = c_int32
lib.plexus_message.restype = c_char_p
lib.plexus_version.restype = c_char_p

# Functions without argument types, which ctypes calls sooner: arguments are bytes and instances of
# its own types, never plain numbers.
_call, _free = lib["plexus_call"], lib["plexus_result_free"]

# Exceptions that end a program, by thread: raised in a callback, which cannot raise them, so the
# call does when it returns.
interrupts = {}
_callbacks = set()  # codes of functions


def callback(kind, function):
    """`function` as what the library calls."""
    _callbacks.add(function.__code__)
    return kind(function)


def _unraisable(before, about):
    # A try in the callback is too late: a signal may raise its exception before the first line.
    trace = about.exc_traceback
    ends = isinstance(about.exc_value, (KeyboardInterrupt, SystemExit))
    if (ends and trace is not None and trace.tb_frame.f_code in _callbacks
            and threading.current_thread() is threading.main_thread()):
        interrupts[threading.get_ident()] = about.exc_value
    else:
        before(about)


sys.unraisablehook = functools.partial(_unraisable, sys.unraisablehook)


def error(code):
    """The exception of a code, with the message of this thread's last failure."""
    kind = errors.BY_CODE[code] if 0 < code < len(errors.BY_CODE) else errors.Internal
    return kind(lib.plexus_message().decode("utf-8", "replace"))


def check(code):
    if interrupts and threading.get_ident() in interrupts:
        raise interrupts.pop(threading.get_ident())
    if code != 0:
        raise error(code)


def ask(function, *arguments):
    """The bytes of a reply; `function` takes a place for it as its last argument."""
    reply = Text()
    return _taken(function(*arguments, byref(reply)), reply)


def call(handle, operation, request):
    """plexus_call; `handle` is a Handle."""
    reply = Text()
    return _taken(_call(handle, operation, request, c_size_t(len(request)), byref(reply)), reply)


def _taken(code, reply):
    check(code)
    text = reply.data  # to its first NUL, which JSON has not
    if len(text) != reply.length:
        text = ctypes.string_at(c_void_p.from_buffer(reply), reply.length)
    return text


def encoded(value, name):
    """The UTF-8 of a text."""
    if not isinstance(value, str):
        raise errors.InvalidArgument("%s is %r, no text" % (name, value))
    try:
        return str.encode(value)
    except UnicodeEncodeError:
        raise errors.InvalidArgument("%s has half a surrogate pair: %r" % (name, value)) from None


def text(value, name):
    """A C text; None stays."""
    if value is None:
        return None
    made = encoded(value, name)
    if b"\0" in made:
        raise errors.InvalidArgument("%s has a NUL: %r" % (name, value))
    return made


def whole(value, name, bits=63):
    """A whole number that fits; ctypes would cut one that does not."""
    number = getattr(value, "__index__", None)
    if number is None or not 0 <= number() < 1 << bits:
        raise errors.InvalidArgument("%s is %r, no whole number from 0 to 2^%d - 1"
                                     % (name, value, bits))
    return number()


def seconds(value, name):
    """A length of time as a float."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = -1.0
    if not 0 <= number < 1 << 50:
        raise errors.InvalidArgument("%s is %r, no number of seconds" % (name, value))
    return number


def function(value, name):
    if value is not None and not callable(value):
        raise errors.InvalidArgument("%s is %r, no function" % (name, value))
    return value


def cancel_handle(cancel):
    if cancel is not None and not isinstance(cancel, Cancel):
        raise errors.InvalidArgument("cancel is %r, no plexus.Cancel" % (cancel,))
    return cancel._handle if cancel is not None else None


def path_text(path):
    """The bytes of a path: a str, bytes or what has __fspath__."""
    try:
        made = os.fsencode(path)
    except (TypeError, UnicodeEncodeError):
        raise errors.InvalidArgument("path is %r, no path" % (path,)) from None
    if b"\0" in made:
        raise errors.InvalidArgument("path has a NUL: %r" % (path,))
    return made


def texts(values, name):
    """A pointer to C texts, and how many they are."""
    if isinstance(values, str):
        values = [values]
    listed = [text(value, "%s[%d]" % (name, i)) for i, value in enumerate(values or ())]
    if None in listed:
        raise errors.InvalidArgument("%s[%d] is None, no text" % (name, listed.index(None)))
    return (c_char_p * len(listed))(*listed), len(listed)


class Owned(c_void_p):
    """A place for a handle, which is freed with it. It is made before the call that fills it: a
    signal raises its exception when the call returns, before anything else could own the handle."""

    def __del__(self):
        if self.value:
            self.free(self)


class SnapshotHandle(Owned):
    free = lib.plexus_snapshot_free


class ResultHandle(Owned):
    free = lib.plexus_result_free


class CancelHandle(Owned):
    free = lib.plexus_cancel_free


class Owner:
    """What owns a handle. A copy would free it, too, and the number means nothing elsewhere."""

    def __reduce_ex__(self, _protocol):
        raise TypeError("a %s can be neither copied nor pickled" % type(self).__name__)


class Cancel(Owner):
    """Asks the calls that are given it to stop: they raise Cancelled, or say truncated."""

    def __init__(self):
        self._handle = CancelHandle()
        check(lib.plexus_cancel_new(byref(self._handle)))

    def set(self):
        check(lib.plexus_cancel_set(self._handle))


class Call:
    """The options of a call, with what they point at. An exception of `progress` stops the call
    and is raised after it."""

    def __init__(self, progress, cancel):
        self.raised = None
        self.cancel = cancel
        self.options = sized(CallOptions)
        self.options.cancel = cancel_handle(cancel)
        if function(progress, "progress"):
            def report(_context, phase, done, total):
                if threading.get_ident() in interrupts:
                    return 1
                try:
                    return 1 if progress(phase.decode(), done, total) is False else 0
                except BaseException as raised:  # raised again by `run`
                    self.raised = raised
                    return 1
            self.function = callback(ProgressFunction, report)
            self.options.progress = ctypes.cast(self.function, c_void_p)

    def run(self, ask, *arguments):
        try:
            return ask(*arguments)
        finally:
            if self.raised:
                raise self.raised
