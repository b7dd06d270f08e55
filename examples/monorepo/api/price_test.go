package api

import "testing"

func TestPrice(t *testing.T) {
	if got := Price(1905); got != "19.05" {
		t.Errorf("Price(1905) = %q, want 19.05", got)
	}
}
