"""What contributors find: tasks, stages, hooks, forms."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
RUN = ROOT / ".ci" / "run"


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text())


def stages() -> list[str]:
    found = re.search(r"^\[ \$# -gt 0 \] \|\| set -- (.+)$", RUN.read_text(), re.MULTILINE)
    assert found
    return found[1].split()


def test_each_task_that_is_listed_stands_in_a_group() -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    groups = [part.splitlines()[0] for part in listed.strip().split("\n\n")[1:]]
    assert groups == ["Run it", "Work on it", "Test it", "Measure it", "Ship it", "Clean up"]
    tasks = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert all(f"  make {task} " in listed for task in tasks)
    assert len(tasks) == len(set(tasks)) > 20


def test_the_workflow_does_each_stage() -> None:
    jobs = read(".github/workflows/ci.yml")["jobs"]
    assert [*jobs["stage"]["strategy"]["matrix"]["stage"], "images"] == stages()
    assert {"run": ".ci/run ${{ matrix.stage }}"} in jobs["stage"]["steps"]
    # Debian's packages, which `.ci/run` installs, are not those of the runner.
    assert {"run": "make test-deploy"} in jobs["images"]["steps"]
    assert "images) make test-deploy ;;" in RUN.read_text()


def test_the_images_that_the_workflow_fetches_are_those_that_are_named() -> None:
    steps = read(".github/workflows/ci.yml")["jobs"]["images"]["steps"]
    (pull,) = (step["run"] for step in steps if "docker pull" in step.get("run", ""))
    fetched = re.findall(r"[a-z/]+:[\w.-]+", pull)
    made = (ROOT / "tests" / "deploy" / "bases.sh").read_text()
    assert len(fetched) == 4 and all(image in made for image in fetched)


def test_each_stage_does_something() -> None:
    script = RUN.read_text()
    assert re.findall(r"^    (\w+)\) make ", script, re.MULTILINE) == stages()


def test_a_stage_that_there_is_not_is_refused() -> None:
    refused = subprocess.run([RUN, "checks", "nothing"], capture_output=True, text=True)
    assert refused.returncode == 2
    assert "nothing" in refused.stderr
    assert all(stage in refused.stderr for stage in stages())


@pytest.mark.parametrize("name", ["misunderstood", "fault", "wish"])
def test_a_form_asks_what_is_needed(name: str) -> None:
    form = read(f".github/ISSUE_TEMPLATE/{name}.yml")
    assert form["name"] and form["description"] and form["labels"]
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids))
    assert all(field["attributes"]["label"] for field in form["body"])
    assert any(field.get("validations", {}).get("required") for field in form["body"])


def test_a_dev_container_has_what_the_stages_install() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    folder = ROOT / ".devcontainer" / container["build"]["context"]
    assert (folder / "packages").resolve() == ROOT / ".ci" / "packages"
    assert "COPY packages " in (ROOT / ".devcontainer" / container["build"]["dockerfile"]).read_text()


def test_a_commit_is_looked_at_before_it_is_made(tmp_path: Path) -> None:
    for name in (".pre-commit-config.yaml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").symlink_to(Path(sys.prefix), target_is_directory=True)
    module = tmp_path / "module.py"
    module.write_text("import os\nanswer = {  'a':1 }\n")
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "module.py"], check=True)
    hooks = [sys.executable, "-m", "pre_commit", "run", "--files", "module.py"]
    first = subprocess.run(hooks, cwd=tmp_path, capture_output=True, text=True)
    assert first.returncode == 1, first.stdout
    assert module.read_text() == 'answer = {"a": 1}\n'
    subprocess.run([*git, "add", "module.py"], check=True)
    again = subprocess.run(hooks, cwd=tmp_path, capture_output=True, text=True)
    assert again.returncode == 0, again.stdout
