package store

// Sightings is where a fingerprint was seen in a repository.
type Sightings struct {
	Occurrences int        // events with it
	Runs        int        // runs that have it
	First       Run        // oldest of them, zero for none
	Newest      []Sighting // newest of them, newest first
}

// Sighting is a run that has a fingerprint, and how often.
type Sighting struct {
	Run
	Events int
}
