package store

// Sightings describes the runs of a repository in which a fingerprint occurred.
type Sightings struct {
	Occurrences int        // number of events with the fingerprint
	Runs        int        // number of runs with the fingerprint
	First       Run        // oldest of these runs, zero for none
	Newest      []Sighting // the newest of these runs, newest first
}

// Sighting is a run with a fingerprint, and the number of the run's events with the fingerprint.
type Sighting struct {
	Run
	Events int
}
