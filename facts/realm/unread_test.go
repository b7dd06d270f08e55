package realm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A contract or a schema that cannot be read counts neither as removed nor as changed. If a new state cannot
// be read, it is reported as invalid.
func TestWhatCannotBeReadIsNotRemoved(t *testing.T) {
	t.Parallel()
	const fine = "name: c\nversion: 1.0.0\nowner: a\nschema: {type: object, properties: {id: {type: string}}}\n"
	at := func(contract string) *Realm {
		return Read([]File{{Path: "realm.yaml", Text: []byte("name: r\n")},
			{Path: "domains/d/domain.yaml", Text: []byte("members: [a, b]\n")},
			{Path: "domains/d/bindings/b.yaml", Text: []byte("imports: [c]\n")}},
			Own{Repo: "a", Dir: ".blue/contracts", Files: []File{{Path: ".blue/contracts/d/c.yaml", Text: []byte(contract)}}})
	}
	for _, c := range []struct{ before, after, kinds, impact string }{
		{fine, "version: [", "ContractInvalid", "1.0.0 1.0.0 a file cannot be read, so it may still be there"},
		{fine, strings.Replace(fine, "string", ".nan", 1), "ContractInvalid", "1.0.0 1.0.0 the schema cannot be read"},
		{fine, "version: 1.0.0\nschema_file: gone.json\n", "ContractInvalid", "1.0.0 1.0.0 the schema cannot be read"},
		{fine, "version: 1.1.0\nschema_file: ../x.json\n", "ContractInvalid", "1.0.0 1.1.0 the schema cannot be read"},
		{fine, "version: 1.0.0\nformat: odd\nschema: {}\n", "ContractInvalid", "1.0.0 1.0.0 the schema cannot be read"},
		{"version: 1.0.0\nschema_file: gone.json\n", fine, "SchemaUnchecked",
			"1.0.0 1.0.0 the earlier schema cannot be read"},
		{"version: [", fine, "", ""},
		{fine, "version: 1.0.0\n", "SchemaChangedWithoutBump BreakingWithoutMajor", "1.0.0 1.0.0  the schema was removed"},
	} {
		before, after := at(c.before), at(c.after)
		var kinds []string
		for _, f := range (Check{Baseline: before}).Of(after) {
			kinds = append(kinds, string(f.Kind))
		}
		if got := strings.Join(kinds, " "); got != c.kinds {
			t.Errorf("%q to %q: %s, want %s", c.before, c.after, got, c.kinds)
		}
		got := ""
		for _, i := range Impacts(before, after, "a") {
			got += fmt.Sprint(strings.Join(append([]string{i.Old, i.New, i.Unknown}, i.Breaks...), " "))
		}
		if got != c.impact {
			t.Errorf("%q to %q: %s, want %s", c.before, c.after, got, c.impact)
		}
		if slices.ContainsFunc(Changes(before, after), func(c Change) bool { return c.Breaking }) && after.HasRead("a") {
			t.Errorf("%q to %q is announced as breaking", c.before, c.after)
		}
	}
}
