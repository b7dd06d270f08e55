package store

// Rewriting is the change of an ended run after somebody has found more secrets in it. The log and the events keep
// their places.
type Rewriting struct {
	Run    Run     // the changed fields, with the serial and attempt of the run
	Events []Event // the changed events
	Chunks []Chunk // the changed chunks, each with the sequence of the replaced chunk
}
