"""What the images are, before anything runs in them."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import docker_compose
import pytest
from docker_compose import IMAGES, image, run
from one_process import PARTS

from .conftest import SIZES

ROOT = Path(__file__).parents[2]
_MAX_BYTES = 200_000_000
_WITH_MODEL = {"planner", "tools-docs", "compact", "ask"}
"""They have the weights of an embedding model, and what computes with them."""
_MODEL_BYTES = 200_000_000
_ASKING = _WITH_MODEL | {"responder"}
"""They may ask a language model."""
_WITH_FILES = {"edge", "tools-geo", "compact"}
"""They make files for users, or hand them out."""
_BASE = "python:3.11-slim-bookworm"
_CONTAINED = (
    *("--rm", "--network", "none", "--read-only", "--cap-drop", "ALL"),
    *("--security-opt", "no-new-privileges"),
)


def _python(name: str, program: str) -> str:
    return run("docker", "run", *_CONTAINED, "--entrypoint", "python", image(name), "-c", program)


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_is_small(name: str, pytestconfig: pytest.Config) -> None:
    whole, base = docker_compose.inspect(image(name), _BASE)
    size = whole["Size"] - base["Size"]
    pytestconfig.stash.setdefault(SIZES, {})[name] = size / 1e6
    assert size <= _MAX_BYTES + _MODEL_BYTES * (name in _WITH_MODEL)


def test_all_images_share_python_and_the_libraries_of_servicekit() -> None:
    layers = [found["RootFS"]["Layers"] for found in docker_compose.inspect(*map(image, IMAGES))]
    base = len(docker_compose.inspect(_BASE)[0]["RootFS"]["Layers"])
    assert len({tuple(each[: base + 2]) for each in layers}) == 1


@pytest.mark.parametrize(("names", "shared"), [(_ASKING, 3), (_WITH_MODEL, 4)], ids=["client", "weights"])
def test_images_with_a_model_share_its_client_and_its_weights(names: set[str], shared: int) -> None:
    layers = [found["RootFS"]["Layers"] for found in docker_compose.inspect(*map(image, sorted(names)))]
    base = len(docker_compose.inspect(_BASE)[0]["RootFS"]["Layers"])
    assert len({tuple(each[: base + shared]) for each in layers}) == 1


@pytest.mark.parametrize("name", IMAGES)
def test_only_images_that_need_them_have_the_clients_of_models_and_of_object_stores(name: str) -> None:
    program = "from importlib.util import find_spec; print(*map(bool, map(find_spec, ('openai', 'obstore'))))"
    assert _python(name, program).split() == [str(name in _ASKING), str(name in _WITH_FILES)]


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
    assert checked == ("NONE" if name == "ask" else "CMD")


_TOOLS = """
import importlib.metadata, pathlib, shutil
programs = "gcc cc make git npm node curl uv ask-install".split()
folders = "/wheels /own /build /opt/build".split()
found = {p for p in programs if shutil.which(p)} | {f for f in folders if pathlib.Path(f).exists()}
print(sorted(found | ({"setuptools"} & {d.name for d in importlib.metadata.distributions()})))
"""

_COMPLETE = """
import importlib.metadata, pathlib, re, sys
def plain(name):
    return re.sub(r"[-_.]+", "-", re.match(r"[A-Za-z0-9._-]+", name)[0]).lower()
installed = list(importlib.metadata.distributions())
names = {plain(each.name) for each in installed}
needs = [(each.name, need) for each in installed for need in each.requires or [] if ";" not in need]
sources = pathlib.Path("/opt/ask/lib").rglob("*.py")
compiled = lambda p: p.parent / "__pycache__" / f"{p.stem}.{sys.implementation.cache_tag}.pyc"
print([n for n in needs if plain(n[1]) not in names], [str(p) for p in sources if not compiled(p).exists()])
print(sorted(name for name in names if name.startswith("ask-sogis")))
"""


def _ours(name: str) -> set[str]:
    """A package of this repository with those that it needs."""
    files = chain(*(ROOT.glob(f"{folder}*/pyproject.toml") for folder in ("", "services/", "packages/")))
    projects = (tomllib.loads(path.read_text(encoding="utf-8"))["project"] for path in files)
    needs = {p["name"]: [re.sub(r"\[.*", "", need) for need in p["dependencies"]] for p in projects}
    return {name}.union(*(_ours(need) for need in needs[name] if need in needs))


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_has_nothing_to_build_with(name: str) -> None:
    assert _python(name, _TOOLS).strip() == "[]"


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_is_complete_and_compiled_and_has_no_other_service(name: str) -> None:
    faults, own = _python(name, _COMPLETE).strip().splitlines()
    assert faults == "[] []"
    packages = {"ask": ("cli",), "compact": ("cli", *PARTS)}.get(name, (name,))
    assert own == str(sorted(set().union(*(_ours(f"ask-sogis-{each}") for each in packages))))
