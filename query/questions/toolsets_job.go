//go:build job

package questions

// ofToolsets returns the questions of toolsets that jobs ask: facts, attestations, and their checks. Every job
// downloads this program, so it has no others.
func ofToolsets() []Row {
	return []Row{Facts.Row, lint.Row, syncCheck.Row, Attested.Row, RealmCheck.Row}
}
