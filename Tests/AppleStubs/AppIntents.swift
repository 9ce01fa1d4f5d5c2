@_exported import AppGroups
// The part of AppIntents that docs/apps.md names, to check its types where there is none. Does nothing.
@_exported import Foundation
import SwiftUI

public struct LocalizedStringResource: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable {
    public init(stringLiteral value: String) {}
}

public protocol IntentResult {}
public protocol ProvidesDialog {}
public struct IntentDialog: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable {
    public init(stringLiteral value: String) {}
}
public struct PlainResult: IntentResult, Sendable {}
public struct DialogResult: IntentResult, ProvidesDialog, Sendable {}
extension IntentResult where Self == PlainResult {
    public static func result() -> PlainResult { PlainResult() }
}
extension IntentResult where Self == DialogResult {
    public static func result(dialog: IntentDialog) -> DialogResult { DialogResult() }
}

public protocol AppIntent: Sendable {
    associatedtype PerformResult: IntentResult
    static var title: LocalizedStringResource { get }
    init()
    func perform() async throws -> PerformResult
}

// Apple's is a class that is Sendable, so that an intent is.
@propertyWrapper public final class IntentParameter<Value: Sendable>: @unchecked Sendable {
    public init(title: LocalizedStringResource) {}
    public var wrappedValue: Value {
        get { fatalError("not called") }
        set {}
    }
}
extension AppIntent {
    public typealias Parameter = IntentParameter
}

extension Button {
    public init(_ title: String, intent: some AppIntent) { self.init(title) {} }
}
