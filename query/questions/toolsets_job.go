//go:build job

package questions

// ofToolsets returns the questions of toolsets that jobs ask: facts, attestations, and checks of both. It leaves out
// all other questions, because every job downloads this program.
func ofToolsets() []Row {
	return []Row{Facts.Row, lint.Row, syncCheck.Row, Attested.Row, RealmCheck.Row}
}
