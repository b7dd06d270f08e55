package store

// FormatFingerprint is for tests of what engines store.
var FormatFingerprint = formatFingerprint

// Moves is for the test of the engines' tables.
var Moves = moves
