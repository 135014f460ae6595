"""How parcels are called, and how large they are."""

from contracts.items import Parcel
from servicekit.wording import Say
from swissgeo.outlines import area_m2, polygons_of

from actionplanner.wording import kind_of, number

_LAND = "liegenschaft"


def parcel_name(parcel: Parcel, say: Say, *, with_municipality: bool) -> str:
    """`Grundstück 198 in Messen`; a right is called by its kind."""
    is_land = parcel.kind.casefold() in (_LAND, "")
    name = say("parcel_short", number=parcel.number)
    if not is_land:
        name = say("parcel_right", kind=kind_of(parcel.kind, say), number=parcel.number)
    if not (with_municipality and parcel.municipality):
        return name
    return say("parcel_in", name=name, municipality=parcel.municipality)


def area(parcel: Parcel, say: Say) -> str:
    """What its register says, else that of its outline; empty when neither is known."""
    if parcel.area_m2:
        return f"{number(parcel.area_m2)} m²"
    computed = computed_m2(parcel)
    return say("area_computed", area=number(computed)) if computed else ""


def is_computed(parcel: Parcel) -> bool:
    """Whether its area is only as good as its outline."""
    return not parcel.area_m2 and computed_m2(parcel) > 0


def computed_m2(parcel: Parcel) -> int:
    """The area of its outline; 0 when that is not known."""
    try:
        return round(area_m2(polygons_of(parcel.geometry or {})))
    except (ValueError, TypeError, IndexError, KeyError, OverflowError):
        return 0
