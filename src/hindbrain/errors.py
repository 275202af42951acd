"""What can go wrong for a user, and the step that fixes it. One tree; entries translate, nobody else does."""


class HindbrainError(Exception):
    """Something a person can act on: `what` happened, and the `fix`."""

    code = "error"
    exit_code = 1
    http_status = 500

    def __init__(self, what: str, *, fix: str) -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix


class BadValue(HindbrainError):
    """A value outside what the field allows: a wrong type, a bad date, a confidence of 7."""

    code = "bad_value"
    exit_code = 64
    http_status = 400


class BadJson(HindbrainError):
    """The input is not JSON, or not the JSON that was asked for."""

    code = "bad_json"
    exit_code = 65
    http_status = 400


class Unreadable(HindbrainError):
    """The file to read is missing, forbidden or not text."""

    code = "unreadable"
    exit_code = 66
    http_status = 400


class UnknownMemory(HindbrainError):
    """No memory, receipt or review has that id, or no such link is there."""

    code = "unknown_memory"
    exit_code = 67
    http_status = 404


class AmbiguousProject(HindbrainError):
    """Two projects bear that name."""

    code = "ambiguous_project"
    exit_code = 68
    http_status = 409


class EngineUnsafe(HindbrainError):
    """The SQLite that is linked can corrupt a database that several processes write."""

    code = "engine_unsafe"
    exit_code = 69
    http_status = 503


class StoreDamaged(HindbrainError):
    """The file is not a database any more, or a row no longer has the hash it was written with."""

    code = "store_damaged"
    exit_code = 70
    http_status = 500

    @classmethod
    def of(cls, row: str) -> "StoreDamaged":
        """A row is not as it was written. Nothing may take its place but a repair: whatever else is written over it
        gets a hash that fits, and nobody finds the damage again."""
        return cls(f"{row} is not as it was written", fix="run `hindbrain fsck --repair`")


class TooLong(HindbrainError):
    """One text is longer than a memory may be."""

    code = "too_long"
    exit_code = 71
    http_status = 413


class DiskFull(HindbrainError):
    """The disk has no room for the write. Nothing was changed."""

    code = "disk_full"
    exit_code = 73
    http_status = 507


class DiskFailed(HindbrainError):
    """The disk refused a read or a write. Whether the last write landed is unknown; repeating it is safe."""

    code = "disk_failed"
    exit_code = 74
    http_status = 500


class StoreLocked(HindbrainError):
    """Another process kept the write gate for longer than we were willing to wait."""

    code = "store_locked"
    exit_code = 75  # EX_TEMPFAIL: trying again may work
    http_status = 503


class Conflict(HindbrainError):
    """The memory is not in the state that this step needs, or it changed since it was read."""

    code = "conflict"
    exit_code = 76
    http_status = 409


class ReadOnly(HindbrainError):
    """The store can be read but not written."""

    code = "read_only"
    exit_code = 77
    http_status = 503


class SchemaNewer(HindbrainError):
    """The database was written by a newer Hindbrain. It is left untouched."""

    code = "schema_newer"
    exit_code = 78
    http_status = 503


class BadSettings(HindbrainError):
    """The configuration file or an environment variable cannot be used."""

    code = "bad_settings"
    exit_code = 79
    http_status = 500


class NotErased(HindbrainError):
    """A text that was to be forgotten can still be found in a file."""

    code = "not_erased"
    exit_code = 80
    http_status = 500


class WorkerRunning(HindbrainError):
    """Another process is the worker of this home already."""

    code = "worker_running"
    exit_code = 82
    http_status = 409


class WorkerStuck(HindbrainError):
    """The worker does not end, though it was told to."""

    code = "worker_stuck"
    exit_code = 83
    http_status = 504


class EmbedderMissing(HindbrainError):
    """The model that compares meanings is not installed, or its file is not the one that was measured."""

    code = "embedder_missing"
    exit_code = 81
    http_status = 503


class ConfigBroken(HindbrainError):
    """A client's configuration cannot be read as what it should be. It is left untouched."""

    code = "config_broken"
    exit_code = 86
    http_status = 409


class Unconfirmed(HindbrainError):
    """Something would be written into a client's files, and nobody has said yes."""

    code = "unconfirmed"
    exit_code = 87
    http_status = 409


class ConfigChanged(HindbrainError):
    """A client's file is no longer what it was when the change was shown."""

    code = "config_changed"
    exit_code = 88
    http_status = 409


class KeyMissing(HindbrainError):
    """The key of a model's provider is in no variable and no file, or in a file that others can read."""

    code = "key_missing"
    exit_code = 90
    http_status = 503


class BudgetSpent(HindbrainError):
    """Models have cost, or been called, as much today as the settings allow."""

    code = "budget_spent"
    exit_code = 91
    http_status = 429


class ModelFailed(HindbrainError):
    """A model could not be reached, refused, or did not answer in time and in reasonable size."""

    code = "model_failed"
    exit_code = 92
    http_status = 502


class BadAnswer(HindbrainError):
    """A model answered, twice, with something else than what it was asked for."""

    code = "bad_answer"
    exit_code = 93
    http_status = 502


class StoreUnreachable(HindbrainError):
    """The server of the store does not answer. Nothing was lost: what hooks were told waits in the spool."""

    code = "store_unreachable"
    exit_code = 98
    http_status = 503


class NotServing(HindbrainError):
    """No service of this home runs."""

    code = "not_serving"
    exit_code = 89
    http_status = 503


class ExtraMissing(HindbrainError):
    """The command needs packages that the installation was made without."""

    code = "extra_missing"
    exit_code = 97
    http_status = 501


class Locked(HindbrainError):
    """Another process does just that at the moment, and it must not happen twice at once."""

    code = "locked"
    exit_code = 95


class UpkeepRunning(HindbrainError):
    """Another process is cleaning up, pruning or merging the same memories."""

    code = "upkeep_running"
    exit_code = 94
    http_status = 409
