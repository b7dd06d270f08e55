package source_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/store"
)

func TestAliases(t *testing.T) {
	for alias, code := range map[string]store.Code{
		"bun": "", "a": "", "react-native": "", "x2": "", strings.Repeat("a", 64): "",
		"": store.Malformed, "Bun": store.Malformed, "2x": store.Malformed, "-a": store.Malformed, "a_b": store.Malformed,
		"a/b": store.Malformed, "a:b": store.Malformed, "ä": store.Malformed, strings.Repeat("a", 65): store.Malformed,
		"docs": store.Invalid, "code": store.Invalid, "logs": store.Invalid,
	} {
		if err := source.CheckAlias(alias); store.CodeOf(err) != code || err != nil && store.NextOf(err) == nil {
			t.Errorf("%q: %v, want %q", alias, err, code)
		}
	}
}
