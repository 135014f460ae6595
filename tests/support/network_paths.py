"""Who can reach whom, by the NetworkPolicies: a path needs the consent of both ends that are pods of ours."""

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field

from manifests import Manifests, Object, matches

NAMESPACE = "kubernetes.io/metadata.name"


@dataclass(frozen=True)
class Place:
    """Somebody on the network. Ours has no namespace; who is outside of the cluster has an address only."""

    name: str
    labels: dict[str, str] = field(default_factory=dict)
    namespace: str | None = None
    address: str | None = None
    ports: dict[str, int] = field(default_factory=dict)

    @property
    def is_ours(self) -> bool:
        return self.namespace is None and self.address is None


OUTSIDE = (
    Place("visitors", {"app": "controller"}, namespace="ingress-nginx"),
    Place("monitoring", {"app": "prometheus"}, namespace="monitoring"),
    Place("keda", {"app": "keda-operator"}, namespace="keda"),
    Place("stranger", {"app.kubernetes.io/name": "edge"}, namespace="other"),
    Place("names", {"k8s-app": "kube-dns"}, namespace="kube-system", ports={"dns": 53}),
    Place("api server", {"component": "kube-apiserver"}, namespace="kube-system", ports={"https": 443}),
    Place("internet", address="8.8.8.8", ports={"https": 443, "http": 80, "redis": 6379, "ssh": 22}),
    Place("internet (IPv6)", address="2a00:1450::8", ports={"https": 443}),
    Place("cloud metadata", address="169.254.169.254", ports={"http": 80, "https": 443}),
    Place(
        "own network",
        address="10.1.2.3",
        ports={"https": 443, "redis": 6379, "postgres": 5432, "nats": 4222, "ssh": 22},
    ),
)


def places(manifests: Manifests) -> tuple[Place, ...]:
    """The pods of an installation, and some of the rest of the world."""
    ours = (Place(w.name, w.labels, ports=w.ports) for w in manifests.workloads())
    return (*ours, *OUTSIDE)


def paths(manifests: Manifests) -> set[tuple[str, str, int]]:
    """Every (from, to, port) that is open."""
    everybody = places(manifests)
    policies = manifests.of("NetworkPolicy")
    return {
        (source.name, target.name, number)
        for source in everybody
        for target in everybody
        for port, number in target.ports.items()
        if (source.is_ours or target.is_ours)
        and _consents(policies, "Egress", source, target, target, port)
        and _consents(policies, "Ingress", target, source, target, port)
    }


def _consents(
    policies: list[Object], direction: str, one: Place, other: Place, target: Place, port: str
) -> bool:
    """Whether the policies of `one` let it talk to `other`, in that direction."""
    if not one.is_ours:
        return True
    mine = [p["spec"] for p in policies if matches(p["spec"]["podSelector"], one.labels)]
    mine = [spec for spec in mine if direction in spec["policyTypes"]]
    return not mine or any(_allows(rule, other, target, port) for rule in _rules(mine, direction))


def _rules(specs: list[Object], direction: str) -> Iterator[tuple[list[Object], list[Object]]]:
    peers = "from" if direction == "Ingress" else "to"
    for spec in specs:
        for rule in spec.get(direction.lower(), []):
            yield rule.get(peers, []), rule.get("ports", [])


def _allows(rule: tuple[list[Object], list[Object]], other: Place, target: Place, port: str) -> bool:
    peers, ports = rule
    if ports and not any(p["port"] in (port, target.ports[port]) for p in ports):
        return False
    return not peers or any(_is(peer, other) for peer in peers)


def _is(peer: Object, place: Place) -> bool:
    if block := peer.get("ipBlock"):
        return place.address is not None and _within(place.address, block)
    if place.address is not None:
        return False
    if (namespaces := peer.get("namespaceSelector")) is not None:
        if not matches(namespaces, {NAMESPACE: place.namespace or "ask"}):
            return False
    elif not place.is_ours:
        return False
    return matches(peer.get("podSelector", {}), place.labels)


def _within(address: str, block: Object) -> bool:
    found = ipaddress.ip_address(address)
    inside = found in ipaddress.ip_network(block["cidr"])
    return inside and not any(found in ipaddress.ip_network(each) for each in block.get("except", []))
