import Foundation

/// What other users of the machine see of this process.
enum ProcessList {
    /// Overwrites the values of options that may hold a password in the command line that `ps` shows. The variables of the
    /// environment are better: only the same user can read them.
    static func hideSecrets(among arguments: [String]) {
        guard arguments.contains(where: { isSecret($0) || isAddress($0) }), let (start, end) = commandLine() else {
            return
        }
        var hides = false
        var place = start
        while place < end {
            let length = strnlen(place, end - place)
            let argument = String(decoding: UnsafeRawBufferPointer(start: place, count: length), as: UTF8.self)
            if hides || isAddress(argument) {
                memset(place, Int32(UInt8(ascii: "*")), length)
            } else if isSecret(argument), let sign = strchr(place, Int32(UInt8(ascii: "="))) {
                memset(sign + 1, Int32(UInt8(ascii: "*")), length - (sign + 1 - place))
            }
            hides = isSecret(argument) && !argument.contains("=")
            place += length + 1
        }
    }

    /// True if the argument is an option that may hold a password, with or without its value.
    private static func isSecret(_ argument: String) -> Bool {
        guard argument.hasPrefix("--") else { return false }
        let name = argument.dropFirst(2).prefix { $0 != "=" }
        return Option.all.contains { $0.isSecret && $0.name == name }
    }

    /// True if the argument is the address of a database, as those of `kanbase copy`.
    private static func isAddress(_ argument: String) -> Bool {
        argument.hasPrefix("postgres://") || argument.hasPrefix("postgresql://")
    }

    /// Where the system keeps the arguments, each with a zero behind it. It keeps the memory as long as the process runs.
    private static func commandLine() -> (start: UnsafeMutablePointer<CChar>, end: UnsafeMutablePointer<CChar>)? {
        #if os(Linux)
            // Without /proc nobody sees the command line either. Fields 48 and 49, proc_pid_stat(5); the second field is
            // in brackets and may hold spaces.
            guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
                let rest = text.split(separator: ")").last?.split(separator: " "), rest.count > 46,
                let start = UInt(rest[45]).flatMap({ UnsafeMutablePointer<CChar>(bitPattern: $0) }),
                let end = UInt(rest[46]).flatMap({ UnsafeMutablePointer<CChar>(bitPattern: $0) })
            else { return nil }
            return (start, end)
        #else
            let count = Int(CommandLine.argc)
            guard count > 0, let first = CommandLine.unsafeArgv[0], let last = CommandLine.unsafeArgv[count - 1] else {
                return nil
            }
            return (first, last + strlen(last) + 1)
        #endif
    }
}
