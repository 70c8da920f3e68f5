# SPDX-License-Identifier: Apache-2.0
"""The scenarios of docs/faults.md; each is registered under the rows that it shows."""
from faults import bodies, names, numbers, resuming, talk, trust  # noqa: F401
