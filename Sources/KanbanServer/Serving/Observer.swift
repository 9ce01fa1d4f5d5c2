import HTTP
import KanbanAPI

/// Logs and counts requests.
struct Observer: ExchangeObserver {
    let requests: RequestLog
    let metrics: Metrics
    let proxies: ProxyWatch

    func finished(_ exchange: Exchange) {
        metrics.count(exchange)
        requests.write(exchange)
        proxies.look(at: exchange)
    }

    func failed(requestID: String, operation: String, _ error: any Error) {
        requests.log.error(
            "an unforeseen error", ["id": requestID, "operation": operation, "error": String(reflecting: error)])
    }
}
