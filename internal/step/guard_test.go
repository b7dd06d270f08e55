package step

import (
	"testing"

	"github.com/blq-ci/blq/store"
)

func init() { strict = true }

// A panic in the code that derives a step must not keep the command from running.
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
