package store

// Identity holds the parts of an event on which its fingerprint depends. Events with one fingerprint have equal parts.
// Placeholders such as <n>, <addr> and <time> replace texts that vary from run to run.
type Identity struct {
	Kind    IdentityKind
	Tool    string
	Code    string
	Test    string // set only for failed tests
	File    string // "" for rules of the architecture
	Message string // "" for failed tests
}

// IdentityKind says which parts of an event form its identity.
type IdentityKind string

// These are the kinds of identities. Next to each kind are the parts of an event that form the identity.
const (
	IdentityTest  IdentityKind = "test"  // tool, test and file
	IdentityRule  IdentityKind = "rule"  // tool, code and message, without the file
	IdentityEvent IdentityKind = "event" // tool, code, file and message
)

// IdentityOf returns the identity of an event under today's rules.
func IdentityOf(e Event) Identity {
	id := Identity{Kind: IdentityEvent, Tool: e.Tool, Code: e.Code}
	switch {
	case e.Test != "" && e.Category == CategoryTest:
		id.Kind, id.Code, id.Test, id.File = IdentityTest, "", machineless(e.Test), machineless(e.File)
	case e.Tool == checkArchitecture && e.Category == CategoryLint:
		id.Kind, id.Message = IdentityRule, placeless(e)
	default:
		id.File, id.Message = machineless(e.File), normalize(e.Message)
	}
	return id
}

// machineless returns the name of a file or test without the parts that a machine generated.
func machineless(name string) string { return string(appendName(nil, name)) }
