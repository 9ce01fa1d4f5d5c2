// What Foundation has on Apple's platforms only: every stub whose framework has it there exports this one.
import Foundation

extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}
