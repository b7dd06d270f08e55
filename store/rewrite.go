package store

// Rewriting is what changes in a run that has ended when more is secret than while it was stored. Its log and its
// events keep their places.
type Rewriting struct {
	Run    Run     // its facts, and the serial and the attempt that they are of
	Events []Event // those that change
	Chunks []Chunk // those that change, each with the sequence of the one that it replaces
}
