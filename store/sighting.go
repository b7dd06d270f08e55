package store

// Sightings lists where a fingerprint was seen in a repository.
type Sightings struct {
	Occurrences int        // number of events with the fingerprint
	Runs        int        // number of runs with the fingerprint
	First       Run        // oldest of these runs, zero for none
	Newest      []Sighting // newest of these runs, newest first
}

// Sighting is a run with a fingerprint, and the number of its events with that fingerprint.
type Sighting struct {
	Run
	Events int
}
