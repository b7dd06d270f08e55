//go:build job

package questions

// ofToolsets returns the questions of the toolsets that steps ask: facts, attestations, and the checks of them. Every
// job downloads this program.
func ofToolsets() []Row {
	return []Row{Facts.Row, lint.Row, syncCheck.Row, Attested.Row, RealmCheck.Row}
}
