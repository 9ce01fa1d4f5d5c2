// swift-tools-version: 6.0
import PackageDescription

// An app that uses the client which Tests/Generators/run generates.
let package = Package(
    name: "Drive",
    platforms: [.macOS(.v13)],
    dependencies: [.package(path: "../../../.build/clients/swift6")],
    targets: [
        .executableTarget(name: "Drive", dependencies: [.product(name: "Kanbase", package: "swift6")])
    ],
    swiftLanguageModes: [.v6]
)
