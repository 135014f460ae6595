"""A real OGC API Features server gives the answers of the packaged data that it was filled from."""

import httpx2


async def test_raw(ogc_url: str) -> None:
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as http:
        a = await http.get(
            ogc_url + "/collections", headers={"accept": "application/geo+json, application/json, */*;q=0.1"}
        )
        print(a.status_code, a.headers, a.text[:3000])
        for q in (
            "",
            "?limit=500&bbox=2630000,1240000,2640000,1250000&bbox-crs=http://www.opengis.net/def/crs/EPSG/0/2056&crs=http://www.opengis.net/def/crs/EPSG/0/2056",
        ):
            a = await http.get(
                ogc_url + "/collections/ch.so.afu.altlasten.standorte/items" + q,
                headers={"accept": "application/geo+json, application/json, */*;q=0.1"},
            )
            print(a.status_code, a.headers, a.text[:3000])
    assert 0
