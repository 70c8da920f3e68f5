# SPDX-License-Identifier: Apache-2.0
"""What many runs say together."""
import statistics


class Summary:
    """Median and quartiles: a single wild run moves none of them."""

    def __init__(self, values):
        self.values = list(values)
        self.median = statistics.median(self.values)
        if len(self.values) == 1:
            self.low = self.high = self.values[0]
        else:
            self.low, _, self.high = statistics.quantiles(self.values, n=4, method="inclusive")

    def document(self):
        return {"median": self.median, "lower_quartile": self.low, "upper_quartile": self.high}
