"""The permissions on NATS are the table of the bus, no more and no less."""

import nats_users
import pytest
from contracts import subjects
from contracts.subjects import CONSUMERS, ROUTES, TOOL_FAMILIES, Route, matches, vocabulary_key
from nats_users import SERVICES, spoken

from ask.declaring import families
from ask.errors import AskError
from ask.permissions import OPERATOR, configuration, consumers, passwords, publisher_of, users

USERS = {user.name: user for user in users()}


def role(user: str) -> str:
    return "tools" if user in TOOL_FAMILIES else user


def allowed(user: str, subject: str) -> bool:
    return any(matches(pattern, subject) for pattern in USERS[user].publish)


def test_the_configuration_is_what_the_table_makes_of_it() -> None:
    assert nats_users.PERMISSIONS.read_text(encoding="utf-8") == configuration()


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.subject}-{route.carries}")
def test_a_subject_is_published_by_those_whom_the_table_names(route: Route) -> None:
    named = {publisher for each in ROUTES if each.subject == route.subject for publisher in each.publishers}
    able = {user for user in USERS if allowed(user, spoken(route, user))}
    assert {user if user in named else role(user) for user in able} == named


def test_every_permission_to_publish_is_in_the_table_or_a_request_of_jetstream() -> None:
    for user in USERS.values():
        for pattern in user.publish:
            if pattern.startswith(("$JS.API.", "$JS.ACK.", "BUS.API.")):
                continue
            bare = [r for r in ROUTES if {user.name, role(user.name)} & {*r.publishers}]
            assert any(matches(pattern, spoken(route, user.name)) for route in bare) or (
                pattern.startswith("$KV.tools.") and user.name in TOOL_FAMILIES
            ), (user.name, pattern)


def test_a_tool_service_announces_its_own_families_only() -> None:
    for service, own in TOOL_FAMILIES.items():
        for other in TOOL_FAMILIES:
            for family in TOOL_FAMILIES[other]:
                assert allowed(service, f"$KV.tools.{family}.something") is (family in own)


def test_a_tool_service_announces_its_own_vocabulary_only() -> None:
    for service in USERS:
        for other in TOOL_FAMILIES:
            assert allowed(service, f"$KV.tools.{vocabulary_key(other)}") is (service == other)


def test_nobody_listens_to_another_inbox_or_to_stored_messages() -> None:
    for user in USERS.values():
        for pattern in user.subscribe:
            if pattern.startswith("_INBOX"):
                assert pattern == f"_INBOX.{user.name}.>"
            else:
                own = {user.name, role(user.name)}
                heard = {r.subject.partition("<")[0] for r in ROUTES if own & {*r.consumers}}
                assert pattern.removeprefix("BUS.").rstrip("*>") in heard
    assert not {user.name for user in USERS.values() if ">" in user.subscribe}


def test_what_people_are_writing_is_heard_by_who_knows_names_alone() -> None:
    heard = {u.name for u in USERS.values() for p in u.subscribe if matches(p, subjects.SUGGEST_REQUESTED)}
    assert heard == {"tools-geo"}
    # Nor does it leave the account of the services.
    imported = [line for line in configuration().splitlines() if "account: BUS" in line or "service:" in line]
    assert imported and not [line for line in imported if "suggest" in line]


def test_a_consumer_is_read_by_its_service_and_made_by_the_operator() -> None:
    for consumer in CONSUMERS:
        where = f"{consumer.stream}.{consumer.service}"
        assert [u for u in USERS if allowed(u, f"$JS.API.CONSUMER.MSG.NEXT.{where}")] == [consumer.service]
        assert [u for u in USERS if allowed(u, f"$JS.ACK.{where}.1.2.3.4.5")] == [consumer.service]
        for verb in ("DURABLE.CREATE", "CREATE"):
            made = [u for u in USERS if allowed(u, f"$JS.API.CONSUMER.{verb}.{where}")]
            assert made == ([OPERATOR] if verb == "DURABLE.CREATE" else [])


def test_the_consumers_take_all_commands_and_events_and_none_twice() -> None:
    for stream in (subjects.COMMANDS, subjects.EVENTS):
        taken = sorted(s for c in CONSUMERS if c.stream == stream.name for s in c.subjects)
        assert len(set(taken)) == len(taken)
        for pattern in stream.subjects:
            assert any(matches(pattern, t) for t in taken)
        routed = {r.subject for r in ROUTES if r.stream == stream.name and "<" not in r.subject}
        assert routed <= set(taken)
    for route in ROUTES:
        if route.stream in ("COMMANDS", "EVENTS"):
            takers = {
                role(c.service)
                for c in CONSUMERS
                if any(matches(s, spoken(route, "tools-oereb")) for s in c.subjects)
            }
            assert takers == set(route.consumers), route.subject


def test_the_operator_speaks_for_no_service() -> None:
    assert not {p for p in USERS[OPERATOR].publish if not p.startswith("$JS.API.")}
    assert OPERATOR not in SERVICES


def test_a_further_tool_service_gets_a_user_and_a_consumer() -> None:
    further = families(["hello-tool=maps, sheets"])
    assert 'user: "hello-tool", password: $NATS_PASSWORD_HELLO_TOOL' in configuration(further)
    assert consumers(further)[-1].subjects == ("tool.call.maps.>", "tool.call.sheets.>")
    assert consumers(further)[:-1] == CONSUMERS


@pytest.mark.parametrize("given", ["hello", "=maps", "hello=", "a b=maps", "hello=maps.*", "hello=>"])
def test_a_tool_service_that_cannot_be_is_named(given: str) -> None:
    with pytest.raises(AskError, match="DIENST"):
        families([given])


def test_a_message_is_sent_again_by_the_user_whose_subject_it_is() -> None:
    assert passwords({"NATS_PASSWORD_TOOLS_GEO": "a", "NATS_PASSWORD_EDGE": ""}) == {"tools-geo": "a"}
    assert publisher_of("plan.requested", nats_users.PASSWORDS) == "orchestrator"
    assert publisher_of("tool.call.oereb.x", nats_users.PASSWORDS) == "orchestrator"
    assert publisher_of("tool.result.tools-oereb.r", {"tools-geo": "a", "tools-oereb": "a"}) == "tools-oereb"
    assert publisher_of("chat.requested", {"planner": "a"}) is None
