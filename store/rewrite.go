package store

// Rewriting describes changes of an ended run, after more secrets were found in the run. No line of the log and no
// event changes its position.
type Rewriting struct {
	Run    Run         // the changed fields, with the serial and attempt of the run
	Events []Event     // the changed events
	Chunks []Chunk     // the changed chunks, each with the sequence of the replaced chunk
	Tests  []Test      // the changed tests with their IDs; all runs with these tests show the new names
	Files  FileDigests // all digests of files that the run keeps
}
