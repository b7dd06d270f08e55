package step

import (
	"testing"

	"github.com/blq-ci/blq/store"
)

func init() { strict = true }

// If the code that derives a step panics, Name and Shape return substitutes, so that the command still runs.
func TestAPanicIsNoReasonNotToRunACommand(t *testing.T) {
	strict = false
	defer func() { strict = true }()
	guard(func() { panic("a defect") })
	broken := Line{text: "make a", inner: []call{{}}} // Name reads the first word of each inner call
	if got := broken.Name("api"); got != "run" {
		t.Errorf("the name is %q", got)
	}
	if Shape(store.Run{}, "make a", "") == Shape(store.Run{}, "make b", "") {
		t.Error("two lines have one shape")
	}
}
