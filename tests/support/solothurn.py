"""What the packaged data know by name, for tests of who reads it."""

from contracts.vocabulary import merged

from tools_geo.settings import Settings
from tools_geo.sources import names_of
from tools_oereb import sources as oereb
from tools_oereb.settings import Settings as OerebSettings
from tools_oereb.vocabulary import vocabulary_of

_PLACES, SAMPLES = names_of(Settings())
VOCABULARY = merged((_PLACES, vocabulary_of(oereb.example_of(OerebSettings()))))
