package store

// FormatFingerprint exports formatFingerprint for tests of engines.
var FormatFingerprint = formatFingerprint
