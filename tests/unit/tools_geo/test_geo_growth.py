"""What people look for is read in time that grows with its length alone."""

import pytest
from growth import Work
from hostile_texts import fast_growing

from tools_geo.address_query import read_address, search_words
from tools_geo.coordinates import coordinate_of
from tools_geo.layers.query import spoken
from tools_geo.name_query import name_query, written_words
from tools_geo.parcel_query import plain_number


@pytest.mark.parametrize(
    "work",
    [read_address, search_words, name_query, written_words, plain_number, coordinate_of, spoken],
    ids=["address", "search", "name", "written", "number", "coordinate", "layer"],
)
def test_reading_a_query_grows_with_it_alone(work: Work) -> None:
    assert fast_growing(work, 4_000) == {}
