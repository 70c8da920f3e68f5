// SPDX-License-Identifier: Apache-2.0

import Foundation

@main
struct Headway {
    static func main() async {
        exit(await Serve.run(arguments: Array(CommandLine.arguments.dropFirst(2))))
    }
}
