package store

// FormatFingerprint is for tests of what engines store.
var FormatFingerprint = formatFingerprint
