/// Imports images, before the resources that name them.
struct ImageImport {
    private(set) var counts = ImportReport.Counts()
    private(set) var made: [ImportReport.Made] = []

    private let writer: any BoardWriter
    private let returning: Set<ImportReport.Resource>
    /// Images of the document that were deleted here.
    private var gone: Set<ID> = []

    private static let mostFaults = 100

    /// - Parameter returning: what was taken back with an earlier import.
    init(_ writer: any BoardWriter, _ returning: Set<ImportReport.Resource>) {
        self.writer = writer
        self.returning = returning
    }

    /// Images never change, so one with a known id is already here.
    /// - Throws: ``BoardError/invalid(_:)`` for images with the id of another one.
    mutating func run(_ entries: [BoardDocument.Entry<ImportedImage>]) throws {
        var faults: [Fault] = []
        for entry in entries {
            let image = entry.value
            if let known = try writer.image(image.id) {
                counts.unchanged += 1
                if faults.count < Self.mostFaults, try !writer.isSame(known, image.content) {
                    faults.append(
                        Fault(
                            pointer: "#/images/\(entry.index)/id", code: .invalidValue,
                            detail: "Another image has this id. Images never change: give this one an id of its own.",
                            line: entry.line))
                }
            } else if try !writer.unbury(.init(type: .image, id: image.id), ifIn: returning)
                && writer.imageEverExisted(image.id)
            {
                gone.insert(image.id)
                counts.unchanged += 1
            } else {
                made.append(.init(.image, image.id, try writer.addImage(image.id, image.content).revision))
                counts.created += 1
                try writer.pause()
            }
        }
        guard faults.isEmpty else { throw BoardError.invalid(faults) }
    }

    /// The entries, without references to images that were deleted here.
    /// - Throws: ``BoardError/invalid(_:)`` for images that are neither in the document nor in the account.
    func resolve<Value>(
        _ entries: [BoardDocument.Entry<Value>], _ kind: String, _ image: WritableKeyPath<Value, ID?>
    ) throws -> [BoardDocument.Entry<Value>] {
        var entries = entries
        var faults: [Fault] = []
        for index in entries.indices {
            guard let id = entries[index].value[keyPath: image], try writer.image(id) == nil else { continue }
            if gone.contains(id) {
                entries[index].value[keyPath: image] = nil
            } else if faults.count < Self.mostFaults {
                faults.append(
                    Fault(
                        pointer: "#/\(kind)/\(entries[index].index)/image", code: .unknownImage,
                        detail: "There is no image with this id.", line: entries[index].line))
            }
        }
        guard faults.isEmpty else { throw BoardError.invalid(faults) }
        return entries
    }
}
