// The part of SwiftUI that KanbanClientUI and the article on it name, to check their types where there is no SwiftUI. Does
// nothing.
@_exported import Foundation
@_exported import Observation

// MARK: - State and environment

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues: Sendable {
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { Key.defaultValue }
        set {}
    }
    public var scenePhase: ScenePhase { .active }
}

public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

@MainActor public protocol DynamicProperty {
    mutating func update()
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
    private let path: KeyPath<EnvironmentValues, Value>
    public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
    public mutating func update() {}
}

@propertyWrapper public struct State<Value>: DynamicProperty {
    public init(wrappedValue: Value) { value = wrappedValue }
    public init(initialValue: Value) { value = initialValue }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    private let value: Value
    public var projectedValue: Binding<Value> { Binding(value: wrappedValue) }
    public mutating func update() {}
}

@propertyWrapper public struct Binding<Value> {
    let value: Value
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
}

// MARK: - Views

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { return fatalError("not called") }
}

/// A view without parts.
public protocol Leaf: View where Body == Never {}
extension Leaf {
    public var body: Never { return fatalError("not called") }
}

public struct Views<each Content>: Leaf {
    init() {}
}

@resultBuilder @MainActor public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Views<repeat each Content> {
        Views()
    }
    public static func buildEither<First: View, Second: View>(first: First) -> Views<First, Second> { Views() }
    public static func buildEither<First: View, Second: View>(second: Second) -> Views<First, Second> { Views() }
}

public struct Text: Leaf { public init(_ text: String) {} }
public struct TextField: Leaf { public init(_ title: String, text: Binding<String>) {} }
public struct ProgressView: Leaf { public init() {} }
public struct List<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }
public struct Section<Content: View>: Leaf { public init(_ title: String, @ViewBuilder content: () -> Content) {} }
public struct HStack<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }
public struct ForEach<Data: RandomAccessCollection, Content: View>: Leaf {
    public init(_ data: Data, @ViewBuilder content: (Data.Element) -> Content) where Data.Element: Identifiable {}
    public init<ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: (Data.Element) -> Content
    ) {}
}
public struct ButtonRole: Sendable { public static let destructive = ButtonRole() }
public struct Button: Leaf {
    public init(_ title: String, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {}
}
public enum VerticalEdge { case top, bottom }

extension View {
    public func environment<Value>(_ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        self
    }
    public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { self }
    public func onAppear(_ action: () -> Void) -> some View { self }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    public func onChange<Value: Equatable>(of value: Value, _ action: @escaping (Value, Value) -> Void) -> some View {
        self
    }
    public func swipeActions<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    public func contextMenu<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    public func disabled(_ isDisabled: Bool) -> some View { self }
    public func safeAreaInset<Content: View>(edge: VerticalEdge, @ViewBuilder content: () -> Content) -> some View {
        self
    }
}

// MARK: - The app

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}
extension App {
    public static func main() {}
}

@MainActor @preconcurrency public protocol Scene {}
public struct WindowGroup<Content: View>: Scene { public init(@ViewBuilder content: () -> Content) {} }
extension Scene {
    public func onChange<Value: Equatable>(of value: Value, _ action: @escaping (Value, Value) -> Void) -> some Scene {
        self
    }
}
