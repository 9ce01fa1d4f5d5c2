// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("MemberImportVisibility"),
    // An async function stays on its caller's executor: every hop that this spares costs some 300 instructions.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let server =
    strict + [
        // The debug build checks exclusive access at run time; in the release build it was a fifth of a request.
        .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
    ]

/// All symbols are bound at the start, and their table is read-only from then on.
let hardened: [LinkerSetting] = [
    .unsafeFlags(
        ["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))
]

/// A target whose dependencies are all it may know. Another package can depend on it: it has no unsafe flags.
func sharedModule(_ name: String, knows dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The same of the server alone.
func module(_ name: String, knows dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: server)
}

/// The tests of a module, with what they need besides it.
func tests(
    of name: String, with dependencies: [Target.Dependency] = [], exclude: [String] = [], resources: [Resource] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "Locks", "TestSupport"] + dependencies,
        exclude: exclude, resources: resources, swiftSettings: strict)
}

let linuxOnly = TargetDependencyCondition.when(platforms: [.linux])

let package = Package(
    name: "kanbase",
    platforms: [.macOS(.v15), .iOS(.v17)],
    products: [
        .executable(name: "kanbase", targets: ["KanbanServer"]),
        .library(name: "KanbanClient", targets: ["KanbanClient"]),
        .library(name: "KanbanClientUI", targets: ["KanbanClientUI"]),
    ],
    targets: [
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CCrypto", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]),
        .target(name: "CWeb", exclude: ["pages"]),
        sharedModule("JSON"),
        sharedModule("Locks"),
        module("Sockets", knows: ["Locks", .target(name: "CEpoll", condition: linuxOnly)]),
        module("HTTP", knows: ["Locks", "Sockets", "CZlib"]),
        sharedModule("Kanban", knows: ["Locks", "JSON"]),
        sharedModule("KanbanWire", knows: ["Kanban", "JSON"]),
        sharedModule("KanbanRows", knows: ["Kanban", "JSON", "CSQLite"]),
        module("KanbanImport", knows: ["JSON", "Kanban"]),
        module("KanbanAccess", knows: ["Locks", "Turns", "JSON", "Kanban", "KanbanRows", "Crypto"]),
        sharedModule(
            "KanbanClient",
            knows: [
                "Locks", "JSON", "Kanban", "KanbanWire", "KanbanRows", .target(name: "CCurl", condition: linuxOnly),
            ]),
        sharedModule("KanbanClientUI", knows: ["KanbanClient"]),
        module("KanbanSQLite", knows: ["Locks", "Turns", "Kanban", "KanbanRows", "KanbanAccess", "CSQLite"]),
        module(
            "KanbanPostgres", knows: ["Locks", "Turns", "Sockets", "Kanban", "KanbanRows", "KanbanAccess", "CPostgres"]),
        // Crypto and TLS, which know no accounts, and the stores share it.
        module("Turns", knows: ["Locks"]),
        module("Crypto", knows: ["Locks", "Turns", .target(name: "CCrypto", condition: linuxOnly)]),
        module("TLS", knows: ["Locks", "Sockets", "Turns", "Crypto", .target(name: "CCrypto", condition: linuxOnly)]),
        module("Fetch", knows: ["Locks", "CCurl"]),
        module("Mail", knows: ["Fetch", "CCurl"]),
        module(
            "KanbanAPI",
            knows: [
                "Locks", "Turns", "Kanban", "KanbanWire", "KanbanAccess", "KanbanImport", "HTTP", "Sockets", "JSON",
                "Crypto",
                "CWeb", "Fetch",
            ]),
        .executableTarget(
            name: "KanbanServer",
            dependencies: [
                "Locks", "Sockets", "HTTP", "JSON", "Kanban", "KanbanWire", "KanbanRows", "KanbanAccess",
                "KanbanSQLite", "KanbanPostgres", "KanbanAPI", "KanbanImport",
                "Crypto", "TLS", "Fetch", "Mail",
            ],
            swiftSettings: server, linkerSettings: hardened),
        .executableTarget(
            name: "ClientBench", dependencies: ["KanbanClient", "KanbanClientUI"], path: "Benchmarks/ClientBench",
            swiftSettings: strict),
        .executableTarget(name: "kb", dependencies: ["KanbanClient"], path: "Samples/kb", swiftSettings: strict),
        .executableTarget(
            name: "BareServer", dependencies: ["Sockets", "HTTP"], path: "Benchmarks/BareServer",
            swiftSettings: server),
        .executableTarget(
            name: "HotPath", dependencies: ["Sockets", "HTTP", "Kanban", "KanbanAccess", "KanbanSQLite", "KanbanAPI"],
            path: "Benchmarks/HotPath", swiftSettings: server),
        .target(
            name: "TestSupport",
            dependencies: [
                "Locks", "Sockets", "JSON", "Kanban", "KanbanAccess", "KanbanPostgres", "CSQLite",
                .target(name: "CCrypto", condition: linuxOnly),
            ],
            path: "Tests/Support", swiftSettings: strict),
        .target(name: "WireCorpus", path: "Tests/WireCorpus", swiftSettings: strict),
        .executableTarget(
            name: "WireReport", dependencies: ["WireCorpus"], path: "Benchmarks/WireReport", swiftSettings: strict),
        tests(of: "JSON"),
        tests(of: "Turns"),
        tests(of: "Sockets"),
        tests(of: "HTTP", with: ["Sockets", "WireCorpus"]),
        tests(of: "Kanban", with: ["JSON"], resources: [.copy("Fixtures")]),
        tests(of: "KanbanWire", with: ["Kanban", "JSON"]),
        tests(of: "KanbanAccess", with: ["Kanban", "KanbanRows", "JSON", "Crypto", "KanbanSQLite"]),
        tests(
            of: "KanbanSQLite",
            with: ["Kanban", "KanbanRows", "KanbanAccess", "KanbanPostgres", "JSON", "CSQLite"]),
        tests(of: "KanbanClientUI", with: ["KanbanClient"]),
        tests(
            of: "KanbanClient",
            with: [
                "JSON", "Kanban", "KanbanRows", "KanbanWire", "KanbanSQLite", "KanbanAccess", "KanbanAPI", "HTTP",
                "Sockets", "Crypto", "CSQLite",
            ],
            exclude: ["converge"]),
        tests(of: "KanbanPostgres", with: ["Sockets", "Kanban", "KanbanRows", "KanbanAccess", "KanbanSQLite", "JSON"]),
        tests(of: "KanbanImport", with: ["JSON", "Kanban"]),
        tests(of: "Crypto"),
        tests(of: "TLS", with: ["HTTP", "Sockets", .target(name: "CCrypto", condition: linuxOnly)]),
        tests(of: "Fetch"),
        tests(of: "Mail"),
        tests(
            of: "KanbanAPI",
            with: [
                "Kanban", "KanbanWire", "KanbanAccess", "HTTP", "Sockets", "JSON", "Crypto", "KanbanSQLite",
                "KanbanPostgres", "Fetch",
            ]),
        tests(of: "KanbanServer", with: ["KanbanAPI", "KanbanPostgres"]),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "KanbanServer", "Locks", "TestSupport", "JSON", "HTTP", "Sockets", "WireCorpus", "KanbanClient", "kb",
            ],
            exclude: ["Fixtures"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

/// The modules whose tests are built; all without it. Building takes longer than running, so a sanitizer of `.ci/run` builds those in
/// which it has something to look at.
if let chosen = Context.environment["KANBASE_TESTS"]?.split(separator: " ").map({ "\($0)Tests" }) {
    precondition(chosen.allSatisfy { name in package.targets.contains { $0.name == name } }, "No such tests.")
    package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}
