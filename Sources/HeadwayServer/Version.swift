// SPDX-License-Identifier: Apache-2.0

/// The version that `hello`, `--version` and our requests name.
package let headwayVersion = "0.1.0"
