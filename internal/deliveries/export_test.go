package deliveries

// Conclusion is conclusion for tests.
var Conclusion = Checks.conclusion
