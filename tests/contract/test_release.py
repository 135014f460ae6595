"""A release is one commit, built twice with the same result."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest
import release
from pages import ROOT

PROJECT = """[project]
name = "{name}"
version = "{version}"
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"
"""
BY_CHANCE = """import pathlib, uuid
from setuptools import setup
pathlib.Path("kit.py").write_text(f"BUILD = '{uuid.uuid4()}'")
setup()
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two packages and a changelog, in a commit."""
    root = tmp_path / "repository"
    for folder, name in (("kit", "kit"), ("services/edge", "edge")):
        (root / folder).mkdir(parents=True)
        (root / folder / "pyproject.toml").write_text(PROJECT.format(name=name, version="1.2.0"))
        (root / folder / f"{name}.py").write_text(f'"""{name}"""\n')
    (root / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.0 (2026-11-26)\n\n- All of it.\n")
    (root / ".gitignore").write_text("dist/\n")
    git(root, "init", "-q")
    commit(root)
    return root


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")


def released(root: Path) -> list[str]:
    told: list[str] = []
    release.release(root, root / "dist" / "release", told.append, only_wheels=True, flags="")
    return told


def test_two_builds_of_a_commit_are_the_same_bytes(repository: Path) -> None:
    assert released(repository) == ["wheels: 2, twice the same", "1.2.0 is in dist/release"]
    out = repository / "dist" / "release"
    lines = (line.split("  ") for line in (out / "SHA256SUMS").read_text().splitlines())
    sums = {name: digest for digest, name in lines}
    wheels = {"wheels/edge-1.2.0-py3-none-any.whl", "wheels/kit-1.2.0-py3-none-any.whl"}
    assert sums.keys() == wheels
    assert all(hashlib.sha256((out / name).read_bytes()).hexdigest() == sums[name] for name in wheels)
    released(repository)
    again = (out / "SHA256SUMS").read_text()
    assert again == "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))


def test_a_build_that_comes_out_differently_is_no_release(repository: Path) -> None:
    (repository / "kit" / "setup.py").write_text(BY_CHANCE)
    commit(repository)
    with pytest.raises(release.Unfit, match=r"wheels: a second build differs: kit-1.2.0-py3-none-any.whl$"):
        released(repository)


def test_what_is_not_committed_is_not_released(repository: Path) -> None:
    (repository / "kit" / "more.py").write_text("")
    with pytest.raises(release.Unfit, match="not committed"):
        released(repository)


def test_all_packages_have_one_version(repository: Path) -> None:
    (repository / "kit" / "pyproject.toml").write_text(PROJECT.format(name="kit", version="1.3.0"))
    with pytest.raises(release.Unfit, match=r"different versions: 1\.2\.0, 1\.3\.0"):
        release.version_of(repository)


def test_the_changelog_tells_about_a_release(repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text("## 1.2.01\n")
    with pytest.raises(release.Unfit, match=r"CHANGELOG.md tells nothing about 1\.2\.0"):
        release.version_of(repository)


def test_a_release_has_a_date(repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text("## 1.2.0 (unreleased)\n")
    commit(repository)
    with pytest.raises(release.Unfit, match=r"CHANGELOG.md has no date for 1\.2\.0"):
        released(repository)


def test_this_repository_has_one_version() -> None:
    version = release.version_of(ROOT)
    manifests = release.manifests(ROOT)
    assert len(manifests) >= 14
    packages = {
        each.parent.name: json.loads(each.read_text()) for each in ROOT.glob("packages/*/package.json")
    }
    assert {name: package["version"] for name, package in packages.items()} == dict.fromkeys(
        ("client", "map-actions", "ask-copilot"), version
    )
    assert packages["ask-copilot"]["peerDependencies"] == {"@ask-sogis/map-actions": version}
    prod = (ROOT / "deploy" / "k8s" / "overlays" / "prod" / "kustomization.yaml").read_text()
    assert f"newTag: {version} " in prod
    assert f"Version {version}." in (ROOT / "README.md").read_text()
