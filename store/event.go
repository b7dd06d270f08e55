package store

// Severity is the severity of an event. The severities of all tools are mapped to these three values.
type Severity string

// These are the severities. A tool's "critical" or "fatal" is an error.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Category is the kind of work that reported an event.
type Category string

// These are the categories of events.
const (
	CategoryCompile Category = "compile" // a compiler or interpreter rejected the source
	CategoryLink    Category = "link"    // a linker failed
	CategoryLint    Category = "lint"    // a linter or formatter reported a problem
	CategoryType    Category = "type"    // a type checker rejected the source
	CategoryTest    Category = "test"    // a test failed
	CategoryRuntime Category = "runtime" // a program crashed: panic, uncaught exception
	CategoryBuild   Category = "build"   // a build or package tool failed: make, cmake, npm
	CategoryCI      Category = "ci"      // the CI system itself reported an error
)

// Event is one thing that a tool reported in a run: an error, a warning, a failed test.
type Event struct {
	ID       int      `json:"-"` // 1-based number in the run, in log order
	Severity Severity `json:"severity"`
	// File is the path relative to the repository, with forward slashes. The path of a file outside the repository is
	// absolute.
	File        string   `json:"ref_file,omitempty"`
	Line        int      `json:"ref_line,omitempty"`   // 1-based, 0 unknown
	Column      int      `json:"ref_column,omitempty"` // 1-based, 0 unknown
	Message     string   `json:"message"`
	Tool        string   `json:"tool_name,omitempty"`
	Category    Category `json:"category,omitempty"`
	Code        string   `json:"code,omitempty"` // rule or error code: E0308, no-unused-vars, -Wunused
	Test        string   `json:"test_name,omitempty"`
	Fingerprint string   `json:"fingerprint,omitempty"`  // identity across runs, see Fingerprint
	Pattern     string   `json:"-"`                      // equal for similar messages in all files, see Pattern
	LogLine     int      `json:"log_line,omitempty"`     // first line in the log, 1-based; only \n ends a line
	LogLineEnd  int      `json:"log_line_end,omitempty"` // last line, inclusive
	Stream      string   `json:"-"`                      // stream of the log with the event, "" for combined
}
