package store

import "testing"

// An identity shows the parts of a fingerprint, without parts that vary.
func TestIdentities(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		event Event
		want  Identity
	}{
		{Event{Tool: "gcc", Category: CategoryCompile, Code: "-Wall", File: "a.c", Line: 3,
			Message: "at 0x7ffd1234abcd after 3ms"},
			Identity{Kind: IdentityEvent, Tool: "gcc", Code: "-Wall", File: "a.c", Message: "at <addr> after <duration>"}},
		{Event{Tool: "pytest", Category: CategoryTest, Code: "E", File: "t.py", Test: "test_a", Message: "assert 1 == 2"},
			Identity{Kind: IdentityTest, Tool: "pytest", Test: "test_a", File: "t.py"}},
		{Event{Tool: "arch-lint", Category: CategoryLint, Code: "layers", File: "web/a.go",
			Message: "web/a.go imports ../store"},
			Identity{Kind: IdentityRule, Tool: "arch-lint", Code: "layers", Message: "imports store"}},
	} {
		got := IdentityOf(tt.event)
		if got != tt.want {
			t.Errorf("%+v\nis      %+v\nand not %+v", tt.event, got, tt.want)
		}
		if print := label(tt.event, got.digest()); Fingerprint(tt.event) != print {
			t.Errorf("%+v has the fingerprint %s, and its identity %s", tt.event, Fingerprint(tt.event), print)
		}
		moved := tt.event
		moved.Line, moved.Column = 99, 7
		if Fingerprint(moved) != Fingerprint(tt.event) {
			t.Errorf("%+v has another fingerprint at another line", tt.event)
		}
	}
}

// digest returns the number in the fingerprint of events with this identity.
func (id Identity) digest() uint64 {
	switch id.Kind {
	case IdentityTest:
		return digest(fingerprintVersion, string(id.Kind), id.Tool, id.Test, id.File)
	case IdentityRule:
		return digest(fingerprintVersion, string(id.Kind), id.Tool, id.Code, id.Message)
	}
	return digest(fingerprintVersion, string(id.Kind), id.Tool, id.Code, id.File, id.Message)
}
