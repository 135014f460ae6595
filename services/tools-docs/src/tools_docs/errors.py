"""What can go wrong with an index. The docstring is the message."""

from servicekit.errors import ServiceKitError


class IndexUnavailable(ServiceKitError):
    """The index of documents cannot be read."""

    code = "index_unavailable"


class IndexOutdated(ServiceKitError):
    """The index of documents was made by another version: remove it and ingest again."""

    code = "index_outdated"


class SourceMissing(ServiceKitError):
    """There is nothing to ingest."""

    code = "source_missing"


class NoVectors(ServiceKitError):
    """The embedding model does not answer."""

    code = "no_vectors"
