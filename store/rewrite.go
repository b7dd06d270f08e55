package store

// Rewriting describes how to change an ended run after more secrets were found in it. The change moves no line of the
// log and no event.
type Rewriting struct {
	Run    Run     // the changed fields, with the serial and attempt of the run
	Events []Event // the changed events
	Chunks []Chunk // the changed chunks, each with the sequence of the replaced chunk
}
