"""What every installation on Kubernetes has to keep."""

import pod_rules
import wiring_rules
from manifests import Rule

RULES: tuple[Rule, ...] = (
    pod_rules.nobody_in_particular,
    pod_rules.contained,
    pod_rules.no_token,
    pod_rules.limited,
    pod_rules.probed,
    pod_rules.pinned,
    pod_rules.built,
    pod_rules.disruptable,
    pod_rules.spread,
    wiring_rules.graceful,
    wiring_rules.own_credentials,
    wiring_rules.known_settings,
    wiring_rules.closed,
    wiring_rules.connected,
    wiring_rules.operators_only,
    wiring_rules.streaming,
    wiring_rules.guarded,
    wiring_rules.replicated,
)
