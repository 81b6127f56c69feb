"""Exceptions, one for each code of the library. All are plexus.Error."""


class Error(Exception):
    """What an operation failed with. `code` is its stable name, such as "not_found"."""

    code = "internal"

    def __init__(self, message):
        super().__init__(message)
        self.message = message


class InvalidArgument(Error, ValueError):
    code = "invalid_argument"


class NotFound(Error, LookupError):
    code = "not_found"


class AlreadyExists(Error):
    code = "already_exists"


class FailedPrecondition(Error):
    """Right call, wrong moment: a closed graph, a child of fork."""

    code = "failed_precondition"


class Conflict(Error):
    code = "conflict"


class ResourceExhausted(Error):
    code = "resource_exhausted"


class Io(Error, OSError):
    code = "io"


class Corruption(Error):
    code = "corruption"


class Locked(Error):
    """Another process or request holds it: try again."""

    code = "locked"


class ReadOnly(Error):
    code = "read_only"


class Unsupported(Error):
    code = "unsupported"


class Cancelled(Error):
    code = "cancelled"


class Internal(Error):
    """A bug in Plexus."""


# By the library's numbers, from 1: in the order above.
BY_CODE = (None, *Error.__subclasses__())
