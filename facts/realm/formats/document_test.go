package formats

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAValueIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	got := shown(strings.Repeat("é", 40))
	if !utf8.ValidString(got) || !strings.HasSuffix(got, "é…") || len(got) > 64 {
		t.Errorf("%q", got)
	}
}
