/// Ends the process with the words when the condition does not hold. `precondition` says none in an optimized build.
func check(_ holds: Bool, _ words: @autoclosure () -> String) {
    if !holds { fatalError(words()) }
}
