"""What holds of the system in containers, whichever containers these are."""

from typing import Any

from .conftest import Running

ADDRESS = "Gehe zur Langendorfstrasse 19b in Solothurn"
BOTH = f"{ADDRESS} und lade den Gewässerschutzlayer"
EXTRACT = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
QUESTION = "Was sagt der Regierungsrat zum Velo?"


async def answer(system: Running, session: str, **asked: str) -> dict[str, Any]:
    answered = await system.say(session, **asked)
    assert answered.status_code == 200, answered.text
    found: dict[str, Any] = answered.json()
    return found


def confined(system: Running, services: set[str]) -> None:
    """Each of these, and of the servers, is a container that may do nothing; and there are no others."""
    containers = system.project.containers(everything=True)
    by_service = {each["Config"]["Labels"]["com.docker.compose.service"]: each for each in containers}
    assert by_service.keys() == {*services, "nats", "redis", "streams", "volumes"}
    for service, each in by_service.items():
        host = each["HostConfig"]
        assert host["ReadonlyRootfs"] and host["CapDrop"] == ["ALL"], service
        assert host["SecurityOpt"] == ["no-new-privileges:true"], service
        assert not host["Privileged"]
        assert (each["Config"]["User"].partition(":")[0] not in ("", "0")) is (service != "volumes"), service
        if service in services:
            assert host["Memory"] > 0 and host["PidsLimit"] > 0
    for once in ("streams", "volumes"):
        assert by_service[once]["State"]["ExitCode"] == 0
    published = {service for service, each in by_service.items() if each["HostConfig"]["PortBindings"]}
    assert published == {"edge"}


async def work(system: Running) -> None:
    """A tool, several, a choice, a question about documents, and the page."""
    assert (await answer(system, "one", userMessage=ADDRESS))["overallStatus"] == "ok"
    both = await answer(system, "two", userMessage=BOTH)
    assert [step["intent"] for step in both["steps"]] == ["goto_address", "load_layer"]
    assert both["overallStatus"] == "ok"
    offered = await answer(system, "three", userMessage=EXTRACT)
    chosen = await answer(system, "three", choiceId=offered["steps"][0]["choices"][0]["id"])
    assert chosen["overallStatus"] == "ok"
    said = await answer(system, "four", userMessage=QUESTION)
    assert (said["overallStatus"], said["steps"][0]["intent"]) == ("ok", "search_documents")
    page = await system.http.get("/")
    assert page.status_code == 200 and "<html" in page.text


def nothing_was_refused_and_nobody_died_of_himself(system: Running) -> None:
    nats = system.project("logs", "--no-color", "nats")
    assert "Permissions Violation" not in nats
    for each in system.project.containers():
        service = each["Config"]["Labels"]["com.docker.compose.service"]
        assert each["RestartCount"] == 0, system.project("logs", "--no-color", service)[-6000:]
        assert not each["State"]["OOMKilled"], each["Name"]
