"""Arrays in and out without a copy: whatever has the buffer protocol, NumPy where it is installed.

An array that comes out is read-only and keeps the result that it lies in.
"""

import array
import ctypes
from itertools import accumulate

from ._library import ArrayView, Owner, Strings, byref, c_void_p, check, encoded, lib
from .errors import InvalidArgument

try:
    import numpy
except ImportError:  # memoryviews instead
    numpy = None


class _PyBuffer(ctypes.Structure):
    _fields_ = [
        ("buf", c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)), ("internal", c_void_p),
    ]


_C_CONTIGUOUS_WITH_FORMAT = 0x0020 | 0x0010 | 0x0008 | 0x0004
_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(_PyBuffer), ctypes.c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(_PyBuffer)]
_release_buffer.restype = None

# By our name: the letters of the struct module, the bytes of an element, the letter of `array`.
_TYPES = {
    "uint8": ("Bbc", 1, "B"),
    "uint16": ("H", 2, "H"),
    "uint32": ("IL", 4, "I"),
    "uint64": ("QL", 8, "Q"),
    "int64": ("ql", 8, "q"),
    "float32": ("f", 4, "f"),
    "float64": ("d", 8, "d"),
}


class ArrayIn:
    """The memory of an array of one type, or of one of several; a list of numbers is copied into
    one. `dtype` says which it is."""

    def __init__(self, values, dtype, name, dimensions=1):
        dtypes = (dtype,) if isinstance(dtype, str) else dtype
        dtype, code = dtypes[0], _TYPES[dtypes[0]][2]
        self._view = None
        if isinstance(values, (list, tuple, range)):
            if dimensions != 1:
                raise InvalidArgument("%s is a list, not an array of %s" % (name, dtype))
            try:
                values = array.array(code, values)
            except (TypeError, OverflowError) as wrong:
                raise InvalidArgument("%s: %s" % (name, wrong)) from None
        self._values = values
        if numpy is not None and isinstance(values, numpy.ma.MaskedArray):
            raise InvalidArgument("%s is masked: %s.filled(...) is a plain array" % (name, name))
        view = _PyBuffer()
        try:
            _get_buffer(values, ctypes.byref(view), _C_CONTIGUOUS_WITH_FORMAT)
        except TypeError:
            raise InvalidArgument("%s is %s, no array" % (name, type(values).__name__)) from None
        except (BufferError, ValueError) as wrong:
            raise InvalidArgument(
                "%s is no contiguous array (%s): numpy.ascontiguousarray(%s)"
                % (name, wrong, name)) from None
        self._view = view
        found = (view.format or b"B").decode().lstrip("@=<")
        fitting = [d for d in dtypes if len(found) == 1 and found in _TYPES[d][0]
                   and view.itemsize == _TYPES[d][1]]
        if not fitting:
            is_type = getattr(values, "dtype", found)
            raise InvalidArgument(
                "%s is an array of %s, not of %s: %s.astype('%s')"
                % (name, is_type, " or ".join(dtypes), name, dtype))
        self.dtype = fitting[0]
        if view.ndim != dimensions:
            raise InvalidArgument(
                "%s has %d dimensions, not %d" % (name, view.ndim, dimensions))
        if view.len and view.buf % view.itemsize:
            raise InvalidArgument("%s is not aligned: numpy.array(%s)" % (name, name))
        self.shape = tuple(view.shape[i] for i in range(view.ndim))
        self.pointer = view.buf

    def __len__(self):
        return self.shape[0]

    def __del__(self):
        if getattr(self, "_view", None) is not None:
            _release_buffer(ctypes.byref(self._view))
            self._view = None


class StringsIn:
    """A list of texts as a blob and offsets."""

    def __init__(self, values, name):
        if isinstance(values, str):
            raise InvalidArgument("%s is the text %r, no list of texts" % (name, values))
        try:
            listed = [] if values is None else list(values)
        except TypeError:
            raise InvalidArgument("%s is %r, no list of texts" % (name, values)) from None
        try:
            texts = [str.encode(value) for value in listed]
        except (TypeError, UnicodeEncodeError):
            texts = [encoded(value, "%s[%d]" % (name, i)) for i, value in enumerate(listed)]
        self._blob = b"".join(texts)
        self._offsets = array.array("Q", [0])
        self._offsets.extend(accumulate(map(len, texts)))
        address = self._offsets.buffer_info()[0]
        self.struct = Strings(self._blob, len(self._blob), address, len(texts))

    def __len__(self):
        return self.struct.count


_OUT = {
    1: (ctypes.c_uint8, "B", "uint8"),
    2: (ctypes.c_uint32, "I", "uint32"),
    3: (ctypes.c_uint64, "Q", "uint64"),
    4: (ctypes.c_float, "f", "float32"),
    5: (ctypes.c_double, "d", "float64"),
    6: (ctypes.c_int64, "q", "int64"),
}


class Result(Owner):
    """Arrays by name; they keep it, and it keeps their memory."""

    def __init__(self, handle):
        self._handle = handle  # a ResultHandle

    def has(self, name):
        return lib.plexus_result_array(self._handle, name.encode(), byref(ArrayView())) == 0

    def view(self, name):
        """A read-only memoryview and what the array is."""
        found = ArrayView()
        check(lib.plexus_result_array(self._handle, name.encode(), byref(found)))
        c_type, letter, dtype = _OUT[found.type]
        count = found.rows * found.columns
        if count == 0:
            memory = memoryview(bytearray()).cast("B").cast(letter)
        else:
            owner = (c_type * count).from_address(found.data)
            owner.result = self
            memory = memoryview(owner).cast("B").cast(letter)
        return memory.toreadonly(), found, dtype

    def array(self, name, dimensions=1):
        """A numpy.ndarray, or a memoryview where NumPy is not installed."""
        memory, found, dtype = self.view(name)
        if numpy is None:
            if dimensions == 2 and found.rows > 0:
                letter = memory.format
                return memory.cast("B").cast(letter, (found.rows, found.columns))
            return memory
        flat = numpy.frombuffer(memory, dtype)
        return flat if dimensions == 1 else flat.reshape(found.rows, found.columns)

    def strings(self):
        """The texts of "bytes" and "offsets"."""
        offsets, blob = self.view("offsets")[0], bytes(self.view("bytes")[0])
        return [blob[offsets[i]:offsets[i + 1]].decode() for i in range(len(offsets) - 1)]
