//go:build job

package questions

// ofToolsets returns what steps ask of the toolsets: the checks, and what they are of. Every job downloads this
// program.
func ofToolsets() []Row {
	return []Row{Facts.Row, lint.Row, syncCheck.Row, Attested.Row, RealmCheck.Row}
}
