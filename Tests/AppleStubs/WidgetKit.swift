// The part of WidgetKit that docs/apps.md names, to check its types where there is none. Does nothing.
import SwiftUI

public protocol TimelineEntry {
    var date: Date { get }
}
public struct TimelineReloadPolicy: Sendable {
    public static let never = TimelineReloadPolicy()
    public static func after(_ date: Date) -> TimelineReloadPolicy { TimelineReloadPolicy() }
}
public struct Timeline<Entry: TimelineEntry> {
    public init(entries: [Entry], policy: TimelineReloadPolicy) {}
}
public struct TimelineProviderContext {}
public protocol TimelineProvider {
    associatedtype Entry: TimelineEntry
    typealias Context = TimelineProviderContext
    func placeholder(in context: Context) -> Entry
    func getSnapshot(in context: Context, completion: @escaping @Sendable (Entry) -> Void)
    func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<Entry>) -> Void)
}

@MainActor @preconcurrency public protocol WidgetConfiguration {}
public struct StaticConfiguration<Content: View>: WidgetConfiguration {
    public init<Provider: TimelineProvider>(
        kind: String, provider: Provider, @ViewBuilder content: @escaping (Provider.Entry) -> Content
    ) {}
}
@MainActor @preconcurrency public protocol Widget {
    associatedtype Body: WidgetConfiguration
    @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

public class WidgetCenter {
    nonisolated(unsafe) public static let shared = WidgetCenter()
    public func reloadAllTimelines() {}
}
