"""A pygeoapi on a PostGIS of its own, with the packaged features of layers in one table each."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import yaml
from postgres_servers import installations, running
from psycopg import sql

from tools_geo.embedded.datafiles import Dataset, FeatureFile

from .oereb_server import MISSING_POSTGIS, MISSING_PYRAMID, PYTHON, has_postgis, serving

LV95 = "http://www.opengis.net/def/crs/EPSG/0/2056"
DEGREES = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
IN_DEGREES_ONLY = "ch.so.arp.naturreservate"
"""One collection is as many servers have theirs: without LV95."""
MOST = 4
"""Features of a page, so that there are several."""

_APP = Path(__file__).with_name("ogc_app.py")


@contextmanager
def ogc_server(folder: Path, data: Dataset) -> Iterator[str]:
    """The URL of its landing page. Raises `FileNotFoundError` with what has to be installed."""
    binaries = next(filter(has_postgis, installations()), None)
    if binaries is None:
        raise FileNotFoundError(MISSING_POSTGIS)
    if not PYTHON.exists():
        raise FileNotFoundError(MISSING_PYRAMID)
    with running(binaries) as url:
        with psycopg.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION postgis")
            for number, file in enumerate(data.features):
                _fill(cursor, f"layer_{number}", file)
        configuration = folder / "pygeoapi.yml"
        configuration.write_text(yaml.safe_dump(_configuration(url, data)))
        with serving(_APP, configuration, folder / "pygeoapi.log") as base:
            yield base


def _fill(cursor: psycopg.Cursor[Any], table: str, file: FeatureFile) -> None:
    columns = list(dict.fromkeys(name for row in file.features for name in row.attributes))
    numbers = {n for row in file.features for n, v in row.attributes.items() if isinstance(v, int | float)}
    system = 4326 if file.layer == IN_DEGREES_ONLY else 2056
    kinds = [
        sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL("float8" if name in numbers else "text"))
        for name in columns
    ]
    cursor.execute(
        sql.SQL("CREATE TABLE {} (gid serial PRIMARY KEY, geom geometry(Geometry, {}), {})").format(
            sql.Identifier(table), sql.Literal(system), sql.SQL(", ").join(kinds)
        )
    )
    statement = sql.SQL(
        "INSERT INTO {} (geom, {}) VALUES"
        " (ST_Transform(ST_SetSRID(ST_GeomFromGeoJSON(%s), 2056), {}::int), {})"
    ).format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.Literal(system),
        sql.SQL(", ").join(sql.Placeholder() * len(columns)),
    )
    for row in file.features:
        cursor.execute(statement, [json.dumps(row.geometry), *(row.attributes.get(n) for n in columns)])


def _configuration(url: str, data: Dataset) -> dict[str, Any]:
    titles = {row.id: row.title for row in data.layers}
    where = urlsplit(url)
    database = {
        "host": where.hostname,
        "port": where.port,
        "dbname": where.path.strip("/"),
        "user": where.username,
        "password": "",
        "search_path": ["public"],
    }
    return {
        "server": {
            "mimetype": "application/json; charset=UTF-8",
            "encoding": "utf-8",
            "gzip": False,
            "languages": ["de-CH"],
            "pretty_print": False,
            "limits": {"default_items": MOST, "max_items": MOST},
            "map": {"url": "https://tiles.example/{z}/{x}/{y}.png", "attribution": "none"},
        },
        "logging": {"level": "ERROR"},
        "metadata": _metadata("Features"),
        "resources": {
            file.layer: _collection(f"layer_{number}", file.layer, titles[file.layer], database)
            for number, file in enumerate(data.features)
        },
    }


def _metadata(title: str) -> dict[str, Any]:
    return {
        "identification": {
            "title": title,
            "description": title,
            "keywords": [title],
            "keywords_type": "theme",
            "terms_of_service": "none",
            "url": "https://features.example",
        },
        "license": {"name": "none", "url": "https://features.example"},
        "provider": {"name": "none", "url": "https://features.example"},
        "contact": {"name": "none"},
    }


def _collection(table: str, layer: str, title: str, database: dict[str, Any]) -> dict[str, Any]:
    systems: Sequence[str] = [DEGREES] if layer == IN_DEGREES_ONLY else [DEGREES, LV95]
    return {
        "type": "collection",
        "title": title,
        "description": title,
        "keywords": [title],
        "links": [],
        "extents": {"spatial": {"bbox": [5.9, 45.8, 10.5, 47.8], "crs": DEGREES}},
        "providers": [
            {
                "type": "feature",
                "name": "PostgreSQL",
                "data": database,
                "id_field": "gid",
                "table": table,
                "geom_field": "geom",
                "crs": list(systems),
                "storage_crs": systems[-1],
            }
        ],
    }
