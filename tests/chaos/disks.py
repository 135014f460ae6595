"""Disks of the servers: they can be full, and they lose what was not synced when the power goes.

Each is an ext4 of its own in a file. What the page cache of that file system holds is not in the file, and
what is in the file is what a power cut leaves. Needs root, loop devices and e2fsprogs.
"""

import asyncio
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

_MARGIN = 16 * 1_024**2
"""What the file system may need for its own, to reserve a file at once."""
_BLOCK = 4_096
_UNMOUNTS = 20
_TIMEOUT_S = 60


@cache
def available() -> bool:
    """Whether this machine lets us have such disks: one is tried."""
    with tempfile.TemporaryDirectory() as folder:
        image, mountpoint = Path(folder, "image"), Path(folder, "mounted")
        mountpoint.mkdir()
        image.write_bytes(bytes(4 * 1_024**2))
        try:
            _run_now("mkfs.ext4", "-q", str(image))
            _run_now("mount", "-o", "loop", str(image), str(mountpoint))
            _run_now("umount", str(mountpoint))
        except (OSError, subprocess.SubprocessError):
            return False
    return True


_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


class Disk:
    def __init__(self, image: Path, mountpoint: Path, megabytes: int = 512) -> None:
        self._image = image
        self._bytes = megabytes * 1_024**2
        self._mountpoint = mountpoint
        self._filler = mountpoint / "filler"

    async def mount_new(self) -> None:
        self._mountpoint.mkdir(parents=True)
        with self._image.open("wb") as image:
            image.truncate(self._bytes)
        await _run("mkfs.ext4", "-q", "-m", "0", str(self._image))
        await self._mount()

    async def unmount(self) -> None:
        """Who was killed can have a file open for a moment longer, on a slow machine for some."""
        for left in range(_UNMOUNTS, 0, -1):
            if not self._mountpoint.is_mount():
                return
            try:
                await _run("umount", str(self._mountpoint))
            except subprocess.CalledProcessError:
                if left == 1:
                    raise
                await asyncio.sleep(0.5)

    async def settle(self) -> None:
        """All that is there is synced, as half a minute later it would be by itself."""
        await _run("sync", "-f", str(self._mountpoint))

    async def lose_power(self) -> None:
        """All that was not synced is gone. Nothing may have a file open."""
        left = self._image.with_suffix(".left")
        await _run("cp", "--sparse=always", str(self._image), str(left))
        await self.unmount()
        left.replace(self._image)
        await self._mount()

    async def fill(self) -> None:
        """Until no block is free."""
        await asyncio.to_thread(self._fill)

    def _fill(self) -> None:
        size = max(0, shutil.disk_usage(self._mountpoint).free - _MARGIN)
        with self._filler.open("wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, size)
            filler.seek(size)
            with suppress(OSError):
                while True:
                    os.write(filler.fileno(), bytes(_BLOCK))

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)

    async def _mount(self) -> None:
        await _run("mount", "-o", "loop,noatime", str(self._image), str(self._mountpoint))


async def _run(*command: str) -> None:
    await asyncio.to_thread(_run_now, *command)


def _run_now(*command: str) -> None:
    environment = {**os.environ, "PATH": _PATH}
    subprocess.run(command, check=True, capture_output=True, timeout=_TIMEOUT_S, env=environment)
