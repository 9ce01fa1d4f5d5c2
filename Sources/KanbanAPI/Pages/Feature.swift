import Kanban
import KanbanAccess

/// What a server can do by its version and its options, as `/health/ready` tells apps before they log in. openapi.yaml explains
/// each name. Besides there is `oidc:NAME` for each sign-in provider.
enum Feature: String, CaseIterable {
    case accountExport = "account-export"
    case accounts
    case apple
    case digest
    case images
    case imports
    case mail
    case push
    case reminders
    case weather
    case recurrence

    /// - Parameter accounts: `nil` in open mode.
    func isOn(in environment: Environment, _ accounts: AccessService?) -> Bool {
        switch self {
        case .accountExport, .images, .imports, .recurrence, .reminders: true
        case .accounts: accounts != nil
        case .apple: accounts?.isAppleOn ?? false
        case .digest, .mail: accounts?.isMailOn ?? false
        case .push: environment.push != nil
        case .weather: environment.weather != nil
        }
    }
}

extension Environment {
    /// The names of what this server can do, in their order.
    func features(_ accounts: AccessService?) -> [String] {
        let providers = accounts?.providers.all.map { "oidc:\($0.name)" } ?? []
        return (Feature.allCases.filter { $0.isOn(in: self, accounts) }.map(\.rawValue) + providers).sorted()
    }
}
