package store

// Rewriting is the change of a run that has ended, after more of it turned out to be secret. Its log and its events
// keep their places.
type Rewriting struct {
	Run    Run     // the changed facts, with the serial and the attempt of the run
	Events []Event // those that change
	Chunks []Chunk // the changed chunks, each with the sequence of the chunk that it replaces
}
