package yamlfile

import (
	"errors"
	"testing"
)

func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	v, err := guarded(func() (Value, error) { panic("index out of range") })
	if e := (*Error)(nil); !errors.As(err, &e) || !v.IsZero() {
		t.Errorf("%v, %v", v, err)
	}
}
