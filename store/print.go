package store

// Print is an error without its text. It has the error's identity, and a pattern that is equal for similar errors.
// Prints are used to compare and count errors if there are too many to read them in full.
type Print struct {
	ID          int
	Fingerprint int64 // number of the stored fingerprint, see FingerprintHash; the fingerprint may follow older rules
	Pattern     int64 // number of the pattern
	Category    Category
	File        string
	// Terse is true for a failed test whose message is shorter than TerseBytes.
	Terse bool
	// Labeled is true if an earlier version of blq may have stored the message without its last line; see
	// EarlierFingerprints. Brief is the FingerprintHash for the message without its last line. Only PrintOf sets Brief.
	Labeled bool
	Brief   int64
	// Placed is true for a violation of the architecture, whose fingerprint does not depend on the file. Older is true
	// for a violation that was there before its rule, which a comparison never counts as new.
	Placed bool
	Older  bool
}

// PrintFilter selects the prints of a run's errors.
type PrintFilter struct {
	Attempt string
	After   int // only errors with a higher number in the run
	Limit   int
	Bare    bool // read only numbers, fingerprints and categories
}

// TerseBytes is the size in bytes below which a message is terse. Terse messages of different failures often have the
// same pattern, such as "assert False".
const TerseBytes = 40

// PrintOf returns the print of an event, with its fingerprint under today's rules.
func PrintOf(e Event) Print {
	e.Fingerprint = currentFingerprint(e)
	p := Print{ID: e.ID, Category: e.Category, File: e.File,
		Terse: e.Category == CategoryTest && len(e.Message) < TerseBytes, Placed: isViolation(e), Older: isOlderThanRule(e)}
	p.Fingerprint, p.Pattern = e.Hashes()
	var before Event
	if before, p.Labeled = brief(e); p.Labeled {
		p.Brief, _ = FingerprintHash(Fingerprint(before))
	}
	return p
}
