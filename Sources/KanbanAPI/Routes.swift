/// Every operation of the API. openapi.yaml names the same ones; a test compares them.
package enum Routes {
    package static let all: [Route] = [
        TaskRoutes().routes,
        TaskListRoutes().routes,
        HistoryRoutes().routes,
        CategoryRoutes().routes,
        DDayRoutes().routes,
        StatsRoutes().routes,
        TodayRoutes().routes,
        UpcomingRoutes().routes,
        WeatherRoutes().routes,
        CalendarRoutes().routes,
        ExportRoutes().routes,
        ImportRoutes().routes,
        SettingsRoutes().routes,
        ImageRoutes().routes,
        SyncRoutes().routes,
        AccountRoutes().routes,
        SessionRoutes().routes,
        TokenRoutes().routes,
        PasswordResetRoutes().routes,
        IdentityRoutes().routes,
        InvitationRoutes().routes,
        HealthRoutes().routes,
        ProblemRoutes().routes,
        PageRoutes().routes,
    ].flatMap(\.self)
}
