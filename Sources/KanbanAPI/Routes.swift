/// Every operation of the API. openapi.yaml names the same ones; a test compares them.
package enum Routes {
    package static var all: [Route] {
        TaskRoutes().routes + TaskListRoutes().routes + CategoryRoutes().routes + SettingsRoutes().routes
            + DDayRoutes().routes
            + HealthRoutes().routes + ProblemRoutes().routes
            + AccountRoutes().routes + SessionRoutes().routes + TokenRoutes().routes
    }
}
