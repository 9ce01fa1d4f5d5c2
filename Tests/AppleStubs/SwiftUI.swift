// The part of SwiftUI that KanbanClientUI and the pages on it name, to check their types where there is no SwiftUI. As strict as
// Apple's public headers: what is not isolated or not Sendable there is not here. Does nothing.
@_exported import Foundation
@_exported import Observation

// MARK: - State and environment

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { Key.defaultValue }
        set {}
    }
    public var scenePhase: ScenePhase { .active }
    public var dismiss: DismissAction { DismissAction() }
}

public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

@MainActor @preconcurrency public struct DismissAction {
    nonisolated init() {}
    public func callAsFunction() {}
}

// Not isolated: a property of a view is updated by a call that the compiler takes for one from anywhere.
public protocol DynamicProperty {
    mutating func update()
}
extension DynamicProperty {
    public mutating func update() {}
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
    private let path: KeyPath<EnvironmentValues, Value>
    public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
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
}
extension State: Sendable where Value: Sendable {}

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    let value: Value
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public subscript<Subject>(dynamicMember path: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding<Subject>(value: value[keyPath: path])
    }
}
extension Binding: Sendable where Value: Sendable {}

public struct Animation: Equatable, Sendable {
    public static let `default` = Animation()
}
public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result {
    try body()
}

// MARK: - Views

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
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
    nonisolated init() {}
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Views<repeat each Content> {
        Views()
    }
    public static func buildEither<First: View, Second: View>(first: First) -> Views<First, Second> { Views() }
    public static func buildEither<First: View, Second: View>(second: Second) -> Views<First, Second> { Views() }
    public static func buildIf<Content: View>(_ content: Content?) -> Views<Content> { Views() }
}

public struct Text: Leaf { public init(_ text: String) {} }
public struct TextField: Leaf { public init(_ title: String, text: Binding<String>) {} }
public struct Toggle: Leaf { public init(_ title: String, isOn: Binding<Bool>) {} }
public struct DatePicker: Leaf { public init(_ title: String, selection: Binding<Date>) {} }
public struct Picker<Selection: Hashable, Content: View>: Leaf {
    public init(_ title: String, selection: Binding<Selection>, @ViewBuilder content: () -> Content) {}
}
public struct ProgressView: Leaf {
    public init() {}
    public init(value: Double?, total: Double = 1) {}
}
public struct List<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }
public struct Form<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }
public struct Section<Content: View>: Leaf {
    public init(_ title: String, @ViewBuilder content: () -> Content) {}
    public init<Header: View>(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header) {}
}
public struct HStack<Content: View>: Leaf {
    public init(alignment: VerticalAlignment = .center, @ViewBuilder content: () -> Content) {}
}
public struct VStack<Content: View>: Leaf {
    public init(alignment: HorizontalAlignment = .center, @ViewBuilder content: () -> Content) {}
}
public struct ScrollView<Content: View>: Leaf { public init(_ axis: Axis, @ViewBuilder content: () -> Content) {} }
public struct Spacer: Leaf { public init() {} }
public enum VerticalAlignment: Sendable { case top, center }
public enum HorizontalAlignment: Sendable { case leading, center }
public enum Axis: Sendable { case horizontal, vertical }

public protocol TimelineSchedule {}
public struct EveryMinuteTimelineSchedule: TimelineSchedule {}
extension TimelineSchedule where Self == EveryMinuteTimelineSchedule {
    public static var everyMinute: EveryMinuteTimelineSchedule { .init() }
}
public struct TimelineViewContext { public let date: Date }
public struct TimelineView<Schedule: TimelineSchedule, Content: View>: Leaf {
    public init(_ schedule: Schedule, @ViewBuilder content: @escaping (TimelineViewContext) -> Content) {}
}

public struct ForEach<Data: RandomAccessCollection, Content: View>: Leaf {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable {}
    public init<ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
}
public struct ButtonRole: Sendable { public static let destructive = ButtonRole() }
public struct Button: Leaf {
    public init(_ title: String, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {}
}
public enum VerticalEdge: Sendable { case top, bottom }
public struct Font: Sendable {
    public static let headline = Font(), largeTitle = Font(), caption = Font()
}
public struct Color: Leaf, Sendable {
    nonisolated init() {}
    nonisolated public static let red = Color(), secondary = Color(), primary = Color()
}

extension View {
    public func environment<Value>(_ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        self
    }
    public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { self }
    public func task<ID: Equatable>(
        id: ID, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    public func onAppear(_ action: () -> Void) -> some View { self }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    public func onChange<Value: Equatable>(of value: Value, _ action: @escaping (Value, Value) -> Void) -> some View {
        self
    }
    public func swipeActions<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    public func contextMenu<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    public func overlay<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    public func alert<Actions: View, Message: View>(
        _ title: String, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
        @ViewBuilder message: () -> Message
    ) -> some View { self }
    public func disabled(_ isDisabled: Bool) -> some View { self }
    public func font(_ font: Font?) -> some View { self }
    public func foregroundStyle(_ color: Color) -> some View { self }
    public func frame(width: CGFloat) -> some View { self }
    public func safeAreaInset<Content: View>(edge: VerticalEdge, @ViewBuilder content: () -> Content) -> some View {
        self
    }
}

// MARK: - The app

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
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
