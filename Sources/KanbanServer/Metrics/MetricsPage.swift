import HTTP
import KanbanAPI

/// `GET /metrics`, in the text format of Prometheus.
struct MetricsPage: Sendable {
    let metrics: Metrics
    /// Live values.
    let gauges: @Sendable () -> [Sample]

    /// A metric that is not counted here.
    struct Sample: Sendable {
        enum Kind: String, Sendable {
            case counter, gauge
        }

        var name: String
        var kind: Kind
        var help: String
        /// In braces, of one of several samples with this name, which follow one another.
        var labels = ""
        var value: Double
    }

    var route: Route {
        Route(.get, "/metrics", "showMetrics", audience: .operators) { _ in
            Response(
                status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", cacheControl: "no-store",
                body: .bytes(Array(text.utf8)))
        }
    }

    var text: String {
        let total = metrics.total
        var page = Page()
        page.begin("kanbase_requests_total", "counter", "Answered requests by operation and status.")
        for (key, latency) in total.latencies.sorted(by: {
            ($0.key.operation, $0.key.status) < ($1.key.operation, $1.key.status)
        }) {
            page.line(
                "kanbase_requests_total", #"{operation="\#(key.operation)",status="\#(key.status)"}"#,
                "\(latency.total)")
        }
        page.begin(
            "kanbase_request_seconds", "histogram", "From the first byte of a request to the last of its answer.")
        let latencies = Dictionary(total.latencies.map { ($0.operation, $1) }, uniquingKeysWith: +)
        for (operation, latency) in latencies.sorted(by: { $0.key < $1.key }) {
            page.histogram("kanbase_request_seconds", operation, latency)
        }
        page.begin("kanbase_response_bytes_total", "counter", "Bytes of the bodies that were sent.")
        page.line("kanbase_response_bytes_total", "", "\(total.bytes)")
        var last = ""
        for sample in gauges() {
            if sample.name != last { page.begin(sample.name, sample.kind.rawValue, sample.help) }
            last = sample.name
            page.line(sample.name, sample.labels, Self.text(sample.value))
        }
        return page.text
    }

    fileprivate static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)"
    }

    private struct Page {
        var text = ""

        mutating func begin(_ name: String, _ type: String, _ help: String) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        }

        mutating func line(_ name: String, _ labels: String, _ value: String) {
            text += "\(name)\(labels) \(value)\n"
        }

        mutating func histogram(_ name: String, _ operation: String, _ latency: Metrics.Latency) {
            var below = 0
            for (bound, count) in zip(Metrics.bounds, latency.counts) {
                below += count
                let seconds = Double(bound) / 1_000_000
                line("\(name)_bucket", #"{operation="\#(operation)",le="\#(MetricsPage.text(seconds))"}"#, "\(below)")
            }
            let all = latency.counts.reduce(0, +)
            line("\(name)_bucket", #"{operation="\#(operation)",le="+Inf"}"#, "\(all)")
            line(
                "\(name)_sum", #"{operation="\#(operation)"}"#,
                MetricsPage.text(Double(latency.microseconds) / 1_000_000))
            line("\(name)_count", #"{operation="\#(operation)"}"#, "\(all)")
        }
    }
}
