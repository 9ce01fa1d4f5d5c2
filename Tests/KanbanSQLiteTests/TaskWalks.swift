import Kanban

extension BoardReader {
    /// The whole list, page by page.
    func walk(_ query: TaskQuery, limit: Int) throws -> [TaskItem] {
        var query = query
        query.limit = limit
        var all: [TaskItem] = []
        while true {
            let page = try tasks(query)
            all += page
            guard let last = page.last, page.count == limit else { return all }
            query.after = try anchor(after: last, of: query)
        }
    }

    /// The ids of the whole list, page by page.
    func walkIDs(_ query: TaskQuery, limit: Int) throws -> [ID] {
        var query = query
        query.limit = limit
        var all: [ID] = []
        while true {
            let page = try taskPage(query, at: feedState().revision)
            all += page.ids
            guard let next = page.next else { return all }
            query.after = next
        }
    }
}
