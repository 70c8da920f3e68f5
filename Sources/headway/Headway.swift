// SPDX-License-Identifier: Apache-2.0

@main
struct Headway {
    static func main() {}
}
