"""Messages that only make sense after others."""

import pytest

from .rules_kit import ADDRESS, EXTRACT, MUNICIPALITY, PARCEL, after, planned

BURGUNDER = "Gehe zur Burgunderstrasse 19 in Solothurn."


def address(q: str) -> str:
    return f"goto_address: geolocation.geocode(q={q})"


def test_the_conversation_of_the_use_cases() -> None:
    assert planned(BURGUNDER) == (address("Burgunderstrasse 19, Solothurn"),)
    assert planned("Sorry, ich meinte 9.", after(BURGUNDER, selected=(ADDRESS,))) == (
        address("Burgunderstrasse 9, Solothurn"),
    )
    session = after(BURGUNDER, "Sorry, ich meinte 9.", selected=(ADDRESS,))
    assert planned("Kann ich hier eine Erdwärmesonde bohren?", session) == (
        "geothermal_probe_assessment: geothermal.assess_by_xy()",
    )


def test_a_plan_after_an_extract_is_for_the_same_parcel() -> None:
    said = "Gehe zur Langendorfstrasse 19b in Solothurn und erstelle mir einen ÖREB-Katasterauszug."
    session = after(said, selected=(EXTRACT,))
    assert planned("Und bitte noch einen Grundbuchplanauszug.", session) == (
        "cadastral_plan: cadastral.plan_by_geometry()",
    )


@pytest.mark.parametrize(
    ("message", "q"),
    [
        ("Sorry, ich meinte 9.", "Burgunderstrasse 9, Solothurn"),
        ("nein, Nummer 9", "Burgunderstrasse 9, Solothurn"),
        ("Falsche Hausnummer, 9 stimmt", "Burgunderstrasse 9, Solothurn"),
        ("falsche Strasse, Rötistrasse 4", "Rötistrasse 4, Solothurn"),
        ("Nummer 9", "Burgunderstrasse 9, Solothurn"),
        ("9b", "Burgunderstrasse 9b, Solothurn"),
        ("nicht 19, sondern 9", "Burgunderstrasse 9, Solothurn"),
        ("Entschuldigung, Hausnummer 9a", "Burgunderstrasse 9a, Solothurn"),
        ("ich meinte Rötistrasse 9", "Rötistrasse 9, Solothurn"),
        ("ich meinte in Biberist", "Burgunderstrasse 19, Biberist"),
        ("und die Rötistrasse 4?", "Rötistrasse 4, Solothurn"),
    ],
)
def test_a_correction_keeps_the_rest_of_the_address(message: str, q: str) -> None:
    assert planned(message, after(BURGUNDER)) == (address(q),)


@pytest.mark.parametrize(
    "message",
    [
        "Vertippt. Ich wollte 169.",
        "Ich habe die Zahlen verwechselt: 169",
        "169 wäre richtig gewesen",
        "Ups, falsches Grundstück. 169 in Messen wäre richtig",
        "Mach das auch für 169",
        "Mach das gleiche für 169 in Messen",
    ],
)
def test_a_number_is_corrected_in_many_words(message: str) -> None:
    said = after("Erstelle einen ÖREB-Auszug für Parzelle 168 in Messen")
    at_169 = "parcels.by_number(number=169, municipality=Messen) > oereb.extract_by_id()"
    assert planned(message, said) == (f"oereb_extract: {at_169}",)


def test_a_follow_up_of_a_follow_up_is_about_the_first() -> None:
    height = "height_query: geolocation.place(q=Bettlach) > terrain.height_by_xy()"
    for second in ("Und Grenchen?", "Nein, Grenchen"):
        assert planned("und Bettlach?", after("Wie hoch liegt Olten?", second)) == (height,)


def test_now_somewhere_else_is_a_new_destination() -> None:
    said = after("Zeige Parzelle 168 in Messen")
    assert planned("Jetzt Grenchen", said) == ("search_place: geolocation.municipality(q=Grenchen)",)


def test_corrections_can_be_corrected() -> None:
    session = after(BURGUNDER, "Sorry, ich meinte 9.")
    assert planned("nein, 11", session) == (address("Burgunderstrasse 11, Solothurn"),)


def test_a_correction_redoes_what_depends_on_the_place_but_loads_no_layer_again() -> None:
    said = "Gehe zur Burgunderstrasse 19 in Solothurn, lade den Waldplan und erstelle einen ÖREB-Auszug"
    assert planned("Sorry, ich meinte 9", after(said)) == (
        address("Burgunderstrasse 9, Solothurn"),
        "oereb_extract: oereb.egrid_by_xy() > oereb.extract_by_id()",
    )


def test_a_correction_redoes_the_wish_that_had_the_address() -> None:
    said = "Kann ich an der Burgunderstrasse 19 in Solothurn bohren?"
    assert planned("Sorry, ich meinte 9", after(said)) == (
        "geothermal_probe_assessment: geolocation.geocode(q=Burgunderstrasse 9, Solothurn) > "
        "geothermal.assess_by_xy()",
    )


def test_parcels_and_layers_can_be_corrected_too() -> None:
    assert planned("ich meinte 169", after("Zeige Parzelle 168 in Messen")) == (
        "show_parcel: parcels.by_number(number=169, municipality=Messen)",
    )
    other = ("load_layer: layers.search(query=Nutzungsplanung)",)
    assert planned("nein, Nutzungsplanung", after("Lade den Waldplan")) == other
    assert planned("nicht den Waldplan, sondern Nutzungsplanung", after("Lade den Waldplan")) == other


def test_without_anything_to_correct_it_asks() -> None:
    assert planned("Sorry, ich meinte 9.") == ("clarify?",)
    assert planned("Sorry, ich meinte 9.", after("Hallo")) == ("clarify?",)


def test_a_new_wish_is_no_correction() -> None:
    assert planned("Nein, lade stattdessen den Waldplan", after(BURGUNDER)) == (
        "load_layer: layers.search(query=Waldplan)",
    )


@pytest.mark.parametrize(
    ("said", "message", "expected"),
    [
        (
            "Zeige mir die Gewässerschutzzonen in Grenchen",
            "und in Solothurn?",
            (
                "search_place: geolocation.municipality(q=Solothurn)",
                "load_layer: layers.search(query=Gewässerschutzzonen)",
            ),
        ),
        (
            "Wie hoch liegt Grenchen?",
            "Und Olten?",
            ("height_query: geolocation.place(q=Olten) > terrain.height_by_xy()",),
        ),
        (
            "Erstelle einen ÖREB-Auszug für Parzelle 168 in Messen",
            "und für Parzelle 169?",
            ("oereb_extract: parcels.by_number(number=169, municipality=Messen) > oereb.extract_by_id()",),
        ),
        (
            "Kann ich hier eine Erdwärmesonde bohren?",
            "das gleiche für 2600513, 1215519",
            ("geothermal_probe_assessment: geothermal.assess_by_xy(x=2600513, y=1215519)",),
        ),
        ("Lade den Waldplan", "nochmals", ("load_layer: layers.search(query=Waldplan)",)),
        ("Gehe nach Grenchen", "und Solothurn?", ("search_place: geolocation.municipality(q=Solothurn)",)),
    ],
)
def test_a_wish_is_repeated_somewhere_else(said: str, message: str, expected: tuple[str, ...]) -> None:
    assert planned(message, after(said)) == expected


@pytest.mark.parametrize(
    ("said", "message", "expected"),
    [
        (
            "Erstelle einen ÖREB-Auszug",
            "Rötistrasse 4 in Solothurn",
            (
                "oereb_extract: geolocation.geocode(q=Rötistrasse 4, Solothurn) > oereb.egrid_by_xy() > "
                "oereb.extract_by_id()",
            ),
        ),
        (
            "Kann ich in Solothurn eine Erdwärmesonde bohren?",
            "Rötistrasse 4",
            (
                "geothermal_probe_assessment: geolocation.geocode(q=Rötistrasse 4, Solothurn) > "
                "geothermal.assess_by_xy()",
            ),
        ),
        (
            "Zeige mir Parzelle 168",
            "Messen",
            ("show_parcel: parcels.by_number(number=168, municipality=Messen)",),
        ),
        (
            "Zeige mir die Parzelle in Messen",
            "168",
            ("show_parcel: parcels.by_number(number=168, municipality=Messen)",),
        ),
        ("Lade einen Layer", "fledermäuse", ("load_layer: layers.search(query=fledermäuse)",)),
    ],
)
def test_the_answer_to_our_question_completes_the_wish(
    said: str, message: str, expected: tuple[str, ...]
) -> None:
    assert planned(message, after(said)) == expected


def test_a_number_beside_a_municipality_completes_the_wish_too() -> None:
    assert planned("Messen 198", after("ÖREB-Auszug")) == (
        "oereb_extract: parcels.by_number(number=198, municipality=Messen) > oereb.extract_by_id()",
    )


def test_a_new_destination_is_no_correction_of_the_old_one() -> None:
    assert planned("doch lieber Grenchen", after(BURGUNDER)) == (
        "search_place: geolocation.municipality(q=Grenchen)",
    )


def test_a_wish_that_was_fulfilled_is_not_completed() -> None:
    session = after("Erstelle einen ÖREB-Auszug", selected=(PARCEL,))
    assert planned("Rötistrasse 4 in Solothurn", session) == (address("Rötistrasse 4, Solothurn"),)


def test_a_missing_municipality_is_left_to_the_selection() -> None:
    assert planned("Parzelle 168", after(selected=(MUNICIPALITY,))) == (
        "show_parcel: parcels.by_number(number=168)",
    )


def test_the_place_of_an_assessment_is_remembered() -> None:
    """The result of an assessment is no place; the older selection would be the wrong one."""
    session = after("Kann ich an der Rötistrasse 4 in Solothurn bohren?", selected=(PARCEL,))
    assert planned("Und wie hoch liegt das?", session) == (
        "height_query: geolocation.geocode(q=Rötistrasse 4, Solothurn) > terrain.height_by_xy()",
    )


def test_a_choice_made_with_a_click_settles_the_message_before() -> None:
    said = (
        "Kann ich an der Langendorfstrasse in Solothurn bohren?",
        "Ich wähle: Langendorfstrasse 19b, 4500 Solothurn",
    )
    assert planned("Und wie hoch liegt das?", after(*said)) == (
        "height_query: geolocation.geocode(q=Langendorfstrasse 19b, 4500 Solothurn) > terrain.height_by_xy()",
    )
    assert planned("sorry, ich meinte 19c", after(*said)) == (
        "geothermal_probe_assessment: geolocation.geocode(q=Langendorfstrasse 19c, 4500 Solothurn) > "
        "geothermal.assess_by_xy()",
    )


def test_the_message_itself_may_already_be_in_the_history() -> None:
    session = after(BURGUNDER, "Sorry, ich meinte 9.")
    assert planned("Sorry, ich meinte 9.", session) == (address("Burgunderstrasse 9, Solothurn"),)


ROETI, MESSEN = "Gehe zur Rötistrasse 4 in Solothurn", "Parzelle 198 in Messen"
BIBERIST = "Parzelle 2084 in Biberist"


def parcel(number: str, municipality: str) -> str:
    return f"show_parcel: parcels.by_number(number={number}, municipality={municipality})"


def place(name: str) -> str:
    return f"search_place: geolocation.municipality(q={name})"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Zurück zum Grundstück in Messen", parcel("198", "Messen")),
        ("Zeig nochmals Nummer 198", parcel("198", "Messen")),
        ("Wieder Parzelle 2084", parcel("2084", "Biberist")),
        ("wieder zurück zum Grundstück", parcel("2084", "Biberist")),
        ("nochmals das erste Grundstück", parcel("198", "Messen")),
        ("wieder zur Rötistrasse", address("Rötistrasse 4, Solothurn")),
        ("die Adresse von vorhin", address("Rötistrasse 4, Solothurn")),
        ("nochmals die Adresse von vorhin", address("Rötistrasse 4, Solothurn")),
    ],
)
def test_back_to_what_was_said_before(message: str, expected: str) -> None:
    session = after(ROETI, MESSEN, BIBERIST, "Zeige Grenchen", selected=(MUNICIPALITY,))
    assert planned(message, session) == (expected,)


def test_what_was_never_there_is_nothing_to_go_back_to() -> None:
    assert planned("zurück zum Grundstück in Olten", after(ROETI)) != (address("Rötistrasse 4, Solothurn"),)


def test_the_one_before_is_counted_as_the_user_has_seen_them() -> None:
    first = "zurück zum ersten Ort"
    assert planned(first, after("Olten", "Grenchen")) == (place("Olten"),)
    assert planned("der zweite Ort nochmals", after("Olten", "Grenchen", first)) == (place("Grenchen"),)
    assert planned("zur vorigen Gemeinde", after("Olten", "Grenchen", first)) == (place("Grenchen"),)


def test_an_unknown_name_after_a_place_is_another_place() -> None:
    aarburg = "search_place: geolocation.place(q=Aarburg)"
    assert planned("Und Aarburg?", after("Zeige mir Olten")) == (aarburg,)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (
            ("Rötistrasse 4 Solothurn", "Erdwärme?", "und an der Nummer 25?"),
            "geothermal_probe_assessment: geolocation.geocode(q=Rötistrasse 25, Solothurn) "
            "> geothermal.assess_by_xy()",
        ),
        (
            ("Ich brauche einen Grundbuchplan", "von Parzelle 2084 in Biberist", "und für 198 Messen auch"),
            "cadastral_plan: parcels.by_number(number=198, municipality=Messen) "
            "> cadastral.plan_by_geometry()",
        ),
        (
            ("Mach mir den ÖREB", "für Messen 198", "nein 531"),
            "oereb_extract: parcels.by_number(number=531, municipality=Messen) > oereb.extract_by_id()",
        ),
    ],
)
def test_what_followed_up_is_followed_up(messages: tuple[str, ...], expected: str) -> None:
    *said, last = messages
    assert planned(last, after(*said)) == (expected,)


def test_a_place_that_follows_completes_a_correction() -> None:
    assert planned("Rötistrasse 4, ich meine 6, in Solothurn") == (address("Rötistrasse 6, Solothurn"),)
