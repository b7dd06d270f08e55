package query

// Spread says where an error occurs: in how many runs, and in which branches and sources. Runs counts all runs with the
// error. Branches and Sources count only the newest of these runs.
type Spread struct {
	Runs     int     `json:"run_count" jsonschema:"runs that have it"`
	Newest   string  `json:"newest_ref" jsonschema:"the newest of them"`
	Branches []Share `json:"branches" jsonschema:"name, run_count, of the newest 200 runs"`
	Sources  []Share `json:"sources" jsonschema:"the same"`
	// Came says between which two runs the error appeared in the run's step and branch. Went says between which two
	// runs it disappeared. Came or Went is nil if the last runs do not show this.
	Came *TurnedAt `json:"came,omitempty" jsonschema:"the first run that had it, and the one before"`
	Went *TurnedAt `json:"went,omitempty" jsonschema:"the first run without it, and the one before"`
}

// TurnedAt is the pair of runs between which an error appeared or disappeared. Both runs belong to one step and one
// branch.
type TurnedAt struct {
	RunRef       string `json:"run_ref" jsonschema:"run"`
	Commit       string `json:"git_commit,omitempty" jsonschema:"its commit"`
	BeforeRef    string `json:"before_ref" jsonschema:"the run before"`
	BeforeCommit string `json:"before_commit,omitempty" jsonschema:"its commit"`
}
