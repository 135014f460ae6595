"""A release of the commit that is checked out: wheels, images and lists of what is in them, built twice.

    make release            or    python deploy/release.py --only wheels

What is equal is in `dist/release`, with its checksums; a second build that differs from the first is none.
Of images all files are compared (path, kind, mode, owner, content), and how they start: an engine writes into
its layers when it has made them.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
_OF_THE_ENGINE = {"Hostname", "Image"}
"""What an engine writes into the configuration of an image by itself."""


class Unfit(Exception):
    """What cannot become a release, and why."""


def said(*command: str | Path, cwd: Path, **more: str) -> str:
    """What a command prints. Raises `Unfit` with its last words."""
    try:
        done = subprocess.run(command, cwd=cwd, env={**os.environ, **more}, capture_output=True, text=True)
    except OSError as error:
        raise Unfit(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        words = " ".join(map(str, command[:3]))
        raise Unfit(f"{words} … failed:\n{(done.stderr or done.stdout)[-2_000:]}")
    return done.stdout.strip()


class Commit:
    """What is checked out in `root`. Raises `Unfit` where that is not all that there is."""

    def __init__(self, root: Path) -> None:
        if said("git", "status", "--porcelain", cwd=root):
            raise Unfit("there are changes that are not committed")
        self.root = root
        self.moment = said("git", "log", "-1", "--format=%ct", cwd=root)
        self.revision = said("git", "rev-parse", "HEAD", cwd=root)
        self.version = version_of(root)
        if f"## {self.version} (unreleased)" in (root / "CHANGELOG.md").read_text():
            raise Unfit(f"CHANGELOG.md has no date for {self.version}")

    def exported(self, folder: Path) -> "Sources":
        """In a folder of its own: nothing else that lies about gets into a release."""
        folder.mkdir()
        archive = folder.with_suffix(".tar")
        # Modes are part of what is built, and are nobody's own.
        said("git", "-c", "tar.umask=0022", "archive", "--output", archive, "HEAD", cwd=self.root)
        said("tar", "-xpf", archive, cwd=folder)
        return Sources(folder, self)


class Sources:
    """A commit that is built."""

    def __init__(self, folder: Path, commit: Commit) -> None:
        self._folder = folder
        self._commit = commit

    def wheels(self, out: Path) -> None:
        """One for each package."""
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps")
        packages = [manifest.parent for manifest in manifests(self._folder)]
        options = ("--no-build-isolation", "--wheel-dir", out)
        said(*pip, *options, *packages, cwd=self._folder, SOURCE_DATE_EPOCH=self._commit.moment)

    def npm(self, out: Path) -> None:
        """The packages in TypeScript, the one first that knows what the server says."""
        said("npm", "ci", "--no-audit", "--no-fund", cwd=self._folder)
        packages = self._folder / "packages"
        described = self._folder / "openapi.json"
        described.write_text(said(sys.executable, "-m", "edge.described", cwd=self._folder))
        said("npm", "run", "types", "--", described, cwd=packages / "client")
        for name in ("client", "map-actions", "ask-copilot"):
            said("npm", "pack", "--pack-destination", out, cwd=packages / name)

    def images(self, out: Path, flags: str) -> None:
        """A list of all that is in each."""
        for line in self._made("images", flags).splitlines():
            image = line.partition(" ")[0]
            listed = "\n".join(sorted(_content(image, out)))
            (out / f"{re.sub('[/:]', '-', image)}.txt").write_text(f"{listed}\n")

    def inventories(self, out: Path, flags: str) -> None:
        """A CycloneDX document for each image."""
        self._made("sbom", flags)
        shutil.copytree(self._folder / "dist" / "sbom", out, dirs_exist_ok=True)

    def _made(self, target: str, flags: str) -> str:
        facts = (f"IMAGE_TAG={self._commit.version}", f"REVISION={self._commit.revision}")
        make = ("make", "--silent", "--no-print-directory", target)
        return said(*make, *facts, f"BUILD_FLAGS={flags}", cwd=self._folder)


def manifests(root: Path) -> list[Path]:
    """Of the packages: folders with a `pyproject.toml`, one below the root or two."""
    found = (*root.glob("[!.]*/pyproject.toml"), *root.glob("[!.]*/*/pyproject.toml"))
    return sorted(found)


def version_of(root: Path) -> str:
    """The one that all packages have, and that the changelog tells about."""
    versions = {tomllib.loads(path.read_text())["project"]["version"] for path in manifests(root)}
    if len(versions) != 1:
        raise Unfit(f"packages have different versions: {', '.join(sorted(versions))}")
    (version,) = versions
    if not re.search(rf"^## {re.escape(version)}\b", (root / "CHANGELOG.md").read_text(), re.MULTILINE):
        raise Unfit(f"CHANGELOG.md tells nothing about {version}")
    return str(version)


def _content(image: str, folder: Path) -> list[str]:
    (found,) = json.loads(said("docker", "image", "inspect", image, cwd=folder))
    starts = {name: value for name, value in found["Config"].items() if name not in _OF_THE_ENGINE}
    listed = [f"{name}\t{json.dumps(value, sort_keys=True)}" for name, value in starts.items()]
    container = said("docker", "create", image, "none", cwd=folder)
    archive = folder / "image.tar"
    try:
        said("docker", "export", "--output", archive, container, cwd=folder)
    finally:
        said("docker", "rm", container, cwd=folder)
    with tarfile.open(archive) as packed:
        for entry in packed:
            file = packed.extractfile(entry) if entry.isfile() else None
            digest = hashlib.sha256(file.read()).hexdigest() if file else entry.linkname
            kind = entry.type.decode()
            owner, more = f"{entry.uid}:{entry.gid}", {*entry.pax_headers} - {"mtime", "path", "linkpath"}
            facts = (entry.name, kind, f"{entry.mode:o}", owner, digest, *sorted(more))
            listed.append("\t".join(facts))
    archive.unlink()
    return listed


def digests(folder: Path) -> dict[str, str]:
    """Of all files, by where they are in the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def twice(name: str, first: Callable[[Path], None], second: Callable[[Path], None], out: Path) -> str:
    """Keeps in `out / name` what both make. Raises `Unfit` where they differ."""
    with tempfile.TemporaryDirectory() as elsewhere:
        folders = (out / name, Path(elsewhere))
        folders[0].mkdir()
        first(folders[0])
        second(folders[1])
        one, other = (digests(folder) for folder in folders)
    differing = sorted(file for file in {*one, *other} if one.get(file) != other.get(file))
    if differing or not one:
        shutil.rmtree(out / name)
        raise Unfit(f"{name}: a second build differs: {', '.join(differing) or 'there is nothing'}")
    return f"{name}: {len(one)}, twice the same"


def release(root: Path, out: Path, tell: Callable[[str], object], *, only_wheels: bool, flags: str) -> None:
    commit = Commit(root)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        one, other = (commit.exported(Path(work) / name) for name in ("one", "other"))
        tell(twice("wheels", one.wheels, other.wheels, out))
        if not only_wheels:
            tell(twice("npm", one.npm, other.npm, out))
            # The second time nothing is taken from the first.
            anew = f"{flags} --no-cache"
            first, second = (lambda to: one.images(to, flags)), (lambda to: other.images(to, anew))
            tell(twice("images", first, second, out))
            first, second = (lambda to: one.inventories(to, flags)), (lambda to: other.inventories(to, anew))
            tell(twice("sbom", first, second, out))
    sums = "".join(f"{digest}  {file}\n" for file, digest in digests(out).items())
    (out / "SHA256SUMS").write_text(sums)
    tell(f"{commit.version} is in {out.relative_to(root)}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build a release twice, and keep it where both are equal.")
    parser.add_argument("--only", choices=("wheels",), help="without images; needs no Docker")
    parser.add_argument("--build-flags", default="", help="of `docker build`, e.g. --network host")
    given = parser.parse_args()
    out = ROOT / "dist" / "release"
    try:
        release(ROOT, out, print, only_wheels=given.only == "wheels", flags=given.build_flags)
    except Unfit as reason:
        sys.exit(f"release: {reason}")


if __name__ == "__main__":
    main()
