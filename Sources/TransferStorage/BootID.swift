// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Names this run of the kernel; empty when it can't be read, which counts as another run.
package func kernelBootID() -> String {
    let layer = KernelFiles()
    guard let descriptor = try? layer.open("/proc/sys/kernel/random/boot_id", in: AT_FDCWD, flags: O_RDONLY, mode: 0)
    else { return "" }
    defer { layer.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe bytes.withUnsafeMutableBytes { (try? unsafe layer.read(into: $0, from: descriptor, at: 0)) ?? 0 }
    return String(decoding: bytes.prefix(count).prefix { $0 > 0x20 }, as: UTF8.self)
}
