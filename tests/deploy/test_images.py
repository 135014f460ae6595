"""What the images are, before anything runs in them."""

import docker_compose
import pytest
from docker_compose import IMAGES, SERVICES, image, run

_MAX_BYTES = 200_000_000
_BASE = "python:3.11-slim-bookworm"
_CONTAINED = (
    *("--rm", "--network", "none", "--read-only", "--cap-drop", "ALL"),
    *("--security-opt", "no-new-privileges"),
)


def _python(name: str, program: str) -> str:
    return run("docker", "run", *_CONTAINED, "--entrypoint", "python", image(name), "-c", program)


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_is_small(name: str) -> None:
    whole, base = docker_compose.inspect(image(name), _BASE)
    assert whole["Size"] - base["Size"] <= _MAX_BYTES


def test_all_images_share_python_and_the_libraries_of_servicekit() -> None:
    layers = [found["RootFS"]["Layers"] for found in docker_compose.inspect(*map(image, IMAGES))]
    base = len(docker_compose.inspect(_BASE)[0]["RootFS"]["Layers"])
    assert len({tuple(each[: base + 2]) for each in layers}) == 1


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_says_how_it_is_run(name: str) -> None:
    config = docker_compose.inspect(image(name))[0]["Config"]
    user, _, group = config["User"].partition(":")
    assert int(user) > 0 and int(group) > 0
    assert config["StopSignal"] == "SIGTERM"
    # The exec form: signals reach the process itself.
    assert config["Entrypoint"][0] in ("python", "ask")
    labels = config["Labels"]
    assert labels["org.opencontainers.image.title"] == f"ask.sogis {name}"
    assert labels["org.opencontainers.image.licenses"] == "MIT"
    checked = config["Healthcheck"]["Test"][0]
    assert checked == ("CMD" if name in SERVICES else "NONE")


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_has_nothing_to_build_with(name: str) -> None:
    tools = ("gcc", "cc", "make", "git", "npm", "node", "curl", "uv", "ask-install")
    found = _python(name, f"import shutil; print([t for t in {tools} if shutil.which(t)])")
    assert found.strip() == "[]"
    left = "import pathlib; print([p for p in ('/wheels', '/own', '/build', '/opt/build') if pathlib.Path(p).exists()])"
    assert _python(name, left).strip() == "[]"
    assert "setuptools" not in _python(
        name,
        "import importlib.metadata as m; print(sorted(d.name for d in m.distributions(path=__import__('sys').path)))",
    )


@pytest.mark.parametrize("name", IMAGES)
def test_code_is_compiled_already_and_nothing_needed_is_missing(name: str) -> None:
    program = """
import importlib.metadata as metadata, pathlib, sys
own = next(d for d in metadata.distributions() if d.name == NAME)
assert "ask" in own.name
missing = [
    (each.name, need)
    for each in metadata.distributions()
    for need in each.requires or []
    if ";" not in need and not found(need)
]
sources = [p for p in pathlib.Path("/opt/ask/lib").rglob("*.py")]
print(missing, [str(p) for p in sources if not pathlib.Path(p.parent, "__pycache__", p.stem + ".cpython-311.pyc").exists()])
"""
    own = "ask-sogis-cli" if name == "ask" else f"ask-sogis-{name}"
    lookup = """
import re
import importlib.metadata as metadata
NAMES = {re.sub(r"[-_.]+", "-", d.name).lower() for d in metadata.distributions()}
def found(need):
    return re.sub(r"[-_.]+", "-", re.match(r"[A-Za-z0-9._-]+", need)[0]).lower() in NAMES
"""
    assert _python(name, f"NAME = {own!r}\n{lookup}\n{program}").strip() == "[] []"
