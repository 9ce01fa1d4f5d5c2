extension String {
    /// The text for a line of a mail or a terminal: a space for each line break, control character and character that changes
    /// the direction of text. Other people chose it, and could otherwise add lines of their own or command the terminal.
    package var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    let properties = scalar.properties
                    let isPrinted =
                        !properties.isWhitespace && properties.generalCategory != .control && !properties.isBidiControl
                    return isPrinted ? scalar : " "
                }))
    }
}
