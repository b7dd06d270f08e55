package store

// Print is an error without its text: its identity, and the pattern that look-alikes share. It is for comparing and
// counting errors that are too many to be read in full.
type Print struct {
	ID          int
	Fingerprint int64 // number in the stored fingerprint, see FingerprintHash; it may be of an earlier version's rules
	Pattern     int64 // number in the pattern
	Category    Category
	File        string
	// Terse says that it is a failed test with less than TerseBytes bytes of message.
	Terse bool
	// Labeled says that an earlier version may have stored its message without the last line, see
	// EarlierFingerprints. Brief is the number in its fingerprint then, if PrintOf made the print.
	Labeled bool
	Brief   int64
}

// PrintFilter selects prints of errors of a run.
type PrintFilter struct {
	Attempt string
	After   int // only errors with a higher number
	Limit   int
	Bare    bool // only numbers, fingerprints and categories
}

// TerseBytes is the size of a message in bytes from which on its pattern says enough.
const TerseBytes = 40

// PrintOf returns the print of an event, with the fingerprint of today's rules.
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
