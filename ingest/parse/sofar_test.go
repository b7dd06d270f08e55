package parse

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestWhatIsKnownOfARunningStep(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		want      []string
	}{
		{"what tools say, and crashes", "certain a\ndied b\n", []string{"1 error certain a", "2 error died b"}},
		{"not what the end decides", "likely a\nrepeat b\nguess c\ncertain d\n", []string{"1 error certain d"}},
		{"steps that ended were handed out", "certain a\nThe command \"x\" exited with 1.\ncertain b\n",
			[]string{"3 error certain b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := New(Options{Formats: NewList(words, exits)}, func(store.Event) {})
			p.Write([]byte(tt.log))
			var got []string
			for _, e := range p.SoFar(2) {
				got = append(got, string(rune('0'+e.ID))+" "+string(e.Severity)+" "+e.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
