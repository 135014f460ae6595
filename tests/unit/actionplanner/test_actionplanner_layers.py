"""How layers get on the map: their service, their tiles, their legend and their owner."""

from contracts.items import LayerGroup, LayerSource, TileGrid

from .actionplanner_samples import actions, answer, as_json, layer

GRID = TileGrid(
    origin=(2_420_000, 1_350_000),
    resolutions=(4000, 20, 0.1),
    matrix_ids=("0", "7", "14"),
    extent=(2_420_000, 1_030_000, 2_900_000, 1_350_000),
)
TILES = LayerSource(
    type="wmts",
    url="https://wmts.example/1.0.0/x/default/2056/{TileMatrix}/{TileRow}/{TileCol}",
    parameters={"layer": "x", "matrixSet": "2056", "style": "default", "format": "image/jpeg"},
    tile_grid=GRID,
)


def payload(source: LayerSource, **more: str) -> dict[str, object]:
    found = layer("x", "Hintergrundkarte", **more).model_copy(update={"source": source})
    (action,) = actions(answer("load_layer", found))
    assert action["type"] == "addLayer"
    described: dict[str, object] = action["payload"]
    return described


def test_a_tiled_layer_comes_with_its_grid_in_camel_case() -> None:
    assert payload(TILES) == {
        "id": "x",
        "type": "wmts",
        "source": {
            "url": "https://wmts.example/1.0.0/x/default/2056/{TileMatrix}/{TileRow}/{TileCol}",
            "layer": "x",
            "matrixSet": "2056",
            "style": "default",
            "format": "image/jpeg",
            "tileGrid": {
                "origin": [2_420_000, 1_350_000],
                "resolutions": [4000, 20, 0.1],
                "matrixIds": ["0", "7", "14"],
                "tileSize": 256,
                "extent": [2_420_000, 1_030_000, 2_900_000, 1_350_000],
            },
        },
        "visible": True,
        "label": "Hintergrundkarte",
    }


def test_a_grid_without_extent_has_none() -> None:
    endless = GRID.model_copy(update={"extent": None})
    source = payload(TILES.model_copy(update={"tile_grid": endless}))["source"]
    assert isinstance(source, dict)
    assert "extent" not in source["tileGrid"]


def test_no_parameter_replaces_the_address_or_the_grid() -> None:
    spoiled = TILES.model_copy(update={"parameters": {"url": "https://evil.example", "tileGrid": "x"}})
    assert payload(spoiled)["source"] == {"url": TILES.url, "tileGrid": as_json(GRID)}


def test_legend_and_owner_are_passed_on() -> None:
    described = payload(
        TILES, legend_url="https://x.example/legend.png", attribution="Kanton <b>Solothurn</b>"
    )
    assert described["legendUrl"] == "https://x.example/legend.png"
    assert described["attribution"] == "Kanton Solothurn"


def test_an_unsafe_legend_is_left_out() -> None:
    assert "legendUrl" not in payload(TILES, legend_url="javascript:alert(1)")


def test_every_layer_of_a_group_has_its_own() -> None:
    group = LayerGroup(
        id="g",
        label="Waldplan (Gruppe)",
        layers=(layer("a", "A", legend_url="https://x.example/a.png"), layer("b", "B", attribution="Bund")),
    )
    first, second = (action["payload"] for action in actions(answer("load_layer", group)))
    assert (first["legendUrl"], first.get("attribution")) == ("https://x.example/a.png", None)
    assert (second.get("legendUrl"), second["attribution"]) == (None, "Bund")
    assert {first["group"], second["group"]} == {"Waldplan (Gruppe)"}


def test_a_layer_by_itself_belongs_to_no_group() -> None:
    assert "group" not in payload(TILES)


def test_a_member_that_is_switched_off_is_added_invisible() -> None:
    switched_off = layer("b", "B").model_copy(update={"visible": False})
    group = LayerGroup(id="g", label="Waldplan (Gruppe)", layers=(layer("a", "A"), switched_off))
    assert [a["payload"]["visible"] for a in actions(answer("load_layer", group))] == [True, False]


def test_what_the_tool_says_about_its_layers_is_the_question() -> None:
    hint = "Es gibt 23 passende Karten; hier die besten 8. Nenne ein genaueres Thema."
    found = [layer(str(n), f"Layer {n}") for n in range(8)]
    assert answer("load_layer", *found, message=hint).message == hint
    assert answer("load_layer", *found).message == "Mehrere Layer gefunden. Bitte triff eine Auswahl."
    assert answer("load_layer", *found, message=" ").message == (
        "Mehrere Layer gefunden. Bitte triff eine Auswahl."
    )


def test_a_layer_is_as_opaque_as_it_is_wanted() -> None:
    found = answer("load_layer", layer("x", "Wald"), args={"opacity": 0.4})
    added, faded = actions(found)
    assert (added["type"], faded["type"]) == ("addLayer", "setLayerOpacity")
    assert faded["payload"] == {"id": "x", "opacity": 0.4}
    assert "40 %" in as_json(found)["message"]
