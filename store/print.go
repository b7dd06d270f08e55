package store

// Print is an error without its text: its identity, and the pattern that look-alikes share. Prints are used to compare
// and count errors if there are too many to read in full.
type Print struct {
	ID          int
	Fingerprint int64 // number of the stored fingerprint, see FingerprintHash; the fingerprint may follow older rules
	Pattern     int64 // number of the pattern
	Category    Category
	File        string
	// Terse is true for a failed test with a message shorter than TerseBytes.
	Terse bool
	// Labeled is true if an earlier version may have stored the message without its last line; see EarlierFingerprints.
	// Brief is the number of the fingerprint of the message without its last line. Only PrintOf sets Brief.
	Labeled bool
	Brief   int64
}

// PrintFilter selects the prints of a run's errors.
type PrintFilter struct {
	Attempt string
	After   int // only errors whose number in the run is higher
	Limit   int
	Bare    bool // read only numbers, fingerprints and categories
}

// TerseBytes is the min size of a message in bytes. Patterns of shorter messages are not specific enough.
const TerseBytes = 40

// PrintOf returns the print of an event, with its fingerprint under today's rules.
func PrintOf(e Event) Print {
	e.Fingerprint = currentFingerprint(e)
	p := Print{ID: e.ID, Category: e.Category, File: e.File,
		Terse: e.Category == CategoryTest && len(e.Message) < TerseBytes}
	p.Fingerprint, p.Pattern = e.Hashes()
	var before Event
	if before, p.Labeled = brief(e); p.Labeled {
		p.Brief, _ = FingerprintHash(Fingerprint(before))
	}
	return p
}
