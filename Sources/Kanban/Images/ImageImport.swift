/// Imports images, before the resources that name them.
struct ImageImport {
    private(set) var counts = ImportReport.Counts()

    private let writer: any BoardWriter
    /// Images of the document that were deleted here.
    private var gone: Set<ID> = []

    private static let mostFaults = 100

    init(_ writer: any BoardWriter) {
        self.writer = writer
    }

    /// Images never change, so an image with a known id is already here.
    mutating func run(_ entries: [BoardDocument.Entry<ImportedImage>]) throws {
        for entry in entries {
            let image = entry.value
            if try writer.image(image.id) != nil {
                counts.unchanged += 1
            } else if try writer.imageEverExisted(image.id) {
                gone.insert(image.id)
                counts.unchanged += 1
            } else {
                _ = try writer.addImage(image.id, image.content)
                counts.created += 1
                try writer.pause()
            }
        }
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
