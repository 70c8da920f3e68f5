# SPDX-License-Identifier: Apache-2.0
"""What /metrics says, read by the parser that Prometheus's own Python client has."""
import time

from prometheus_client.parser import text_string_to_metric_families

from patience import PATIENCE


class Metrics:
    """One reading."""

    def __init__(self, headway):
        answer = headway.request("GET", "/metrics")
        assert answer.status == 200, answer.body
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        self.families = list(text_string_to_metric_families(answer.body.decode()))
        self.samples = {(s.name, frozenset(s.labels.items())): s.value for f in self.families for s in f.samples}
        assert len(self.samples) == sum(len(f.samples) for f in self.families), "a series is there twice"

    def __call__(self, name, **labels):
        return self.samples[name, frozenset(labels.items())]


def until(headway, what, within=PATIENCE):
    """Reads until it is as wanted."""
    end = time.monotonic() + within
    while not what(metrics := Metrics(headway)):
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)
    return metrics
