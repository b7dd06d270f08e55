package deliveries

var Conclusion = Checks.conclusion
