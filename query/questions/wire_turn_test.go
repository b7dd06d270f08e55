package questions

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

// Long parameters are decoded in a turn, short ones at once.
func TestLongParametersAreDecodedInATurn(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]string{10: "", store.LongJSON: "enter leave"} {
		var turns []string
		ctx := store.Turning(t.Context(), func(context.Context) (func(), error) {
			turns = append(turns, "enter")
			return func() { turns = append(turns, "leave") }, nil
		})
		p := json.RawMessage(`{"nosuch":"` + strings.Repeat("x", size) + `"}`)
		if _, err := Status.AnswerJSON(ctx, Local{}, p); store.CodeOf(err) != store.Invalid {
			t.Error(err)
		}
		if got := strings.Join(turns, " "); got != want {
			t.Errorf("%d bytes: %q, want %q", size, got, want)
		}
	}
}
