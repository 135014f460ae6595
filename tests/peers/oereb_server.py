"""A pyramid_oereb on a PostGIS of its own, which answers from extracts of the federal directive."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import psycopg
import yaml
from postgres_servers import installations, running

from . import oereb_database as database
from .oereb_extracts import Extract, theme_codes

CLIENT_URL = "https://map.example/oereb/{egrid}"
LANGUAGES = ("de", "fr")
MISSING_POSTGIS = "PostGIS is not installed: apt-get install postgresql-postgis"
MISSING_PYRAMID = "pyramid_oereb is not installed: run these tests by `make test-peers`"
PYTHON = Path(__file__).parents[2] / ".venv" / "peers" / "bin" / "python"
"""Its dependencies are not ours."""

_APP = Path(__file__).with_name("oereb_app.py")
_STANDARD = "pyramid_oereb.contrib.data_sources.standard"
_TABLES_TIMEOUT_S = 60
_START_TIMEOUT_S = 90
_NOWHERE = "http://127.0.0.1:9"
"""Nobody listens on the port of the discard service: who calls out through it, fails."""


@contextmanager
def oereb_server(folder: Path, extracts: Sequence[Extract]) -> Iterator[str]:
    """The URL of its service. Raises `FileNotFoundError` with what has to be installed."""
    binaries = next(filter(has_postgis, installations()), None)
    if binaries is None:
        raise FileNotFoundError(MISSING_POSTGIS)
    if not PYTHON.exists():
        raise FileNotFoundError(MISSING_PYRAMID)
    with running(binaries) as url:
        configuration = folder / "pyramid_oereb.yml"
        configuration.write_text(yaml.safe_dump({"pyramid_oereb": _configuration(url, extracts)}))
        _create_tables(url, folder, configuration)
        database.fill(url, extracts)
        with serving(_APP, configuration, folder / "pyramid_oereb.log") as base:
            yield f"{base}/oereb"


def has_postgis(binaries: Path) -> bool:
    found = subprocess.run(
        [binaries / "pg_config", "--sharedir"], capture_output=True, text=True, check=True, timeout=10
    ).stdout.strip()
    return (Path(found) / "extension" / "postgis.control").exists()


def _create_tables(url: str, folder: Path, configuration: Path) -> None:
    """By the programs that pyramid_oereb brings for it."""
    script = folder / "tables.sql"
    for program in ("create_main_schema_tables", "create_standard_tables"):
        made = subprocess.run(
            [PYTHON.with_name(program), "-c", configuration, "--sql-file", script],
            capture_output=True,
            text=True,
            check=False,
            timeout=_TABLES_TIMEOUT_S,
        )
        assert made.returncode == 0, made.stderr
    with psycopg.connect(url) as connection:
        connection.execute("CREATE EXTENSION postgis")
        connection.execute(script.read_bytes())


@contextmanager
def serving(app: Path, configuration: Path, log: Path) -> Iterator[str]:
    """The URL of a program that prints its port."""
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _NOWHERE)
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [PYTHON, "-W", "ignore", app, configuration],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, **proxies, "no_proxy": "", "NO_PROXY": ""},
            text=True,
        ) as process,
    ):
        too_late = Timer(_START_TIMEOUT_S, process.kill)
        too_late.start()
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            too_late.cancel()
            assert port, log.read_text()[-4_000:]
            yield f"http://127.0.0.1:{port}"
        finally:
            too_late.cancel()
            process.kill()


# -- its configuration ----------------------------------------------------------------------------


def _configuration(url: str, extracts: Sequence[Extract]) -> dict[str, Any]:
    connection = url.replace("postgresql:", "postgresql+psycopg:")
    sources = {
        "address": ("address", "Address"),
        "municipality": ("municipality", "Municipality"),
        "logos": ("logo", "Logo"),
        "document_types": ("document_types", "DocumentTypeText"),
        "documents": ("document", "Document"),
        "offices": ("office", "Office"),
        "theme": ("theme", "Theme"),
        "theme_document": ("theme_document", "ThemeDocument"),
        "glossary": ("glossary", "Glossary"),
        "disclaimer": ("disclaimer", "Disclaimer"),
        "law_status_labels": ("law_status", "LawStatus"),
        "real_estate_type": ("real_estate_type", "RealEstateType"),
        "general_information": ("general_information", "GeneralInformation"),
        "map_layering": ("map_layering", "MapLayering"),
        "availability": ("availability", "Availability"),
        "real_estate": ("real_estate", "RealEstate"),
    }
    configuration: dict[str, Any] = {
        name: {
            "source": {
                "class": f"{_STANDARD}.sources.{module}.DatabaseSource",
                "params": {"db_connection": connection, "model": f"{_STANDARD}.models.main.{model}"},
            }
        }
        for name, (module, model) in sources.items()
    }
    plan = {
        "reference_wms": dict.fromkeys(LANGUAGES, f"{_NOWHERE}/wms?SERVICE=WMS&REQUEST=GetMap&LAYERS=plan"),
        "layer_index": 0,
        "layer_opacity": 1.0,
    }
    configuration["real_estate"] |= {"plan_for_land_register": plan, "plan_for_land_register_main_page": plan}
    configuration["real_estate_type"]["lookup"] = _lookup(database.ESTATE_TYPES)
    hooks = "pyramid_oereb.core.hook_methods"
    configuration["logos"]["hooks"] = {
        "get_logo_ref": f"{hooks}.get_logo_ref",
        "get_qr_code_ref": f"{hooks}.get_qr_code_ref",
    }
    return configuration | {
        "language": list(LANGUAGES),
        "default_language": LANGUAGES[0],
        "flavour": ["REDUCED"],
        "srid": 2056,
        "logo_lookups": {"confederation": "ch", "oereb": "ch.plr", "canton": "canton"},
        "geometry_types": {
            "point": {"types": ["Point", "MultiPoint"]},
            "line": {"types": ["LineString", "LinearRing", "MultiLineString"]},
            "polygon": {"types": ["Polygon", "MultiPolygon"]},
            "collection": {"types": ["GeometryCollection"]},
        },
        "app_schema": {
            "name": database.MAIN,
            "models": f"{_STANDARD}.models.main",
            "db_connection": connection,
            **_lookups(),
        },
        "plr_cadastre_authority": extracts[0].authority,
        "print": {
            "renderer": "pyramid_oereb.contrib.print_proxy.mapfish_print.mapfish_print.Renderer",
            "base_url": _NOWHERE,
            "template_name": "A4 portrait",
            "headers": {},
            "buffer": 10,
            "basic_map_size": [493, 280],
            "pdf_dpi": 300,
            "pdf_map_size_millimeters": [174, 99],
        },
        "extract": {
            "base_data": {"methods": {"date": f"{hooks}.get_surveying_data_update_date"}},
            "sort_within_themes_method": f"{hooks}.plr_sort_within_themes",
            "redirect": CLIENT_URL,
        },
        "plrs": [_theme(code, connection) for code in theme_codes(extracts)],
    }


def _theme(code: str, connection: str) -> dict[str, Any]:
    return {
        "code": code,
        # A standard installation has one type for each theme; a sample of everything has several.
        "geometry_type": "GEOMETRY",
        "thresholds": {
            "length": {"limit": 1.0, "unit": "m", "precision": 2},
            "area": {"limit": 1.0, "unit": "m²", "precision": 2},
            "percentage": {"precision": 1},
        },
        "language": LANGUAGES[0],
        "federal": False,
        "source": {
            "class": f"{_STANDARD}.sources.plr.DatabaseSource",
            "params": {
                "db_connection": connection,
                "model_factory": f"{_STANDARD}.models.theme.model_factory_string_pk",
                "schema_name": database.schema_of(code),
            },
        },
        "hooks": {
            "get_symbol": f"{_STANDARD}.hook_methods.get_symbol",
            "get_symbol_ref": "pyramid_oereb.core.hook_methods.get_symbol_ref",
        },
        **_lookups(),
    }


def _lookups() -> dict[str, Any]:
    return {
        "law_status_lookup": _lookup(database.LAW_STATUSES),
        "document_types_lookup": _lookup(database.DOCUMENT_TYPES),
    }


def _lookup(codes: dict[str, str]) -> list[dict[str, str]]:
    """The tables use the codes of the extracts."""
    return [dict.fromkeys(("data_code", "transfer_code", "extract_code"), code) for code in codes]
