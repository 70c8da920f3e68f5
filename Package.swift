// swift-tools-version: 6.2

import PackageDescription

/// Every upcoming feature of Swift 6.2 that the compiler knows, strict memory safety, and no warning left standing.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.target(name: name), "TestSupport"] + dependencies,
        swiftSettings: settings
    )
}

let package = Package(
    name: "headway",
    // The libraries that apps use; the server itself is built on Linux.
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "headway", targets: ["headway"]),
        .library(name: "HeadwayClient", targets: ["HeadwayClient"]),
        .library(name: "ProgressProtocol", targets: ["ProgressProtocol"]),
    ],
    targets: [
        // C libraries, Debian's packages. Each has exactly one importer.
        .systemLibrary(name: "CLibWebSockets", pkgConfig: "libwebsockets", providers: [.apt(["libwebsockets-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // System calls that Swift does not see.
        .systemLibrary(name: "CKernel"),
        .systemLibrary(name: "CPrograms"),

        // What guards the state that threads share.
        room("Locks"),

        // Pure: the standard library alone.
        room("ProgressProtocol"),
        room("BroadcastCore", ["ProgressProtocol"]),
        room("TransferCore", ["ProgressProtocol"]),

        // Edges: one C library each, no knowledge of each other.
        room("WebServer", ["CLibWebSockets", "Locks"]),
        room("CurlTransfers", ["CCurl", "Locks"]),
        room("TransferStorage", ["CSQLite", "CCrypto", "CKernel", "Locks"]),
        room("Programs", ["CPrograms", "Locks"]),

        // Above them: what joins the rooms, the client, and the words on a terminal.
        room(
            "HeadwayServer",
            [
                "ProgressProtocol", "BroadcastCore", "TransferCore", "Locks", "WebServer", "CurlTransfers",
                "TransferStorage", "Programs",
            ]
        ),
        room("HeadwayClient", ["Locks", "ProgressProtocol"]),
        .executableTarget(
            name: "headway",
            dependencies: ["HeadwayServer", "HeadwayClient", "Locks", "ProgressProtocol"],
            swiftSettings: settings
        ),

        // What needs no socket to be measured; scripts/bench runs it.
        .executableTarget(
            name: "corebench",
            dependencies: ["ProgressProtocol", "BroadcastCore"],
            path: "Benchmarks/Core",
            swiftSettings: settings
        ),

        .target(
            name: "TestSupport",
            dependencies: ["Locks"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        // What the socket suite tries the WebSocket edge with: it echoes, which the product never does.
        .executableTarget(
            name: "EchoServer",
            dependencies: ["WebServer"],
            path: "Tests/EchoServer",
            swiftSettings: settings
        ),
        tests(of: "ProgressProtocol"),
        tests(of: "BroadcastCore", ["ProgressProtocol"]),
        tests(of: "TransferCore", ["ProgressProtocol"]),
        tests(of: "WebServer", ["Locks"]),
        tests(of: "CurlTransfers", ["Locks"]),
        tests(of: "TransferStorage", ["Locks"]),
        tests(of: "Programs", ["Locks"]),
        tests(of: "HeadwayServer", ["ProgressProtocol", "BroadcastCore", "TransferCore", "Locks"]),
        tests(of: "HeadwayClient", ["ProgressProtocol"]),
        .testTarget(
            name: "HeadwayCommandTests",
            dependencies: ["headway", "HeadwayClient", "ProgressProtocol"],
            swiftSettings: settings
        ),
    ]
)
