package query

import "github.com/blq-ci/blq/store"

// Omission is a part that an answer leaves out, with the call that gets it. Its JSON is a string, "what: call".
type Omission struct {
	What string
	Next store.Call // zero if no call gets it
}

// String returns the line of text.
func (o Omission) String() string {
	if o.Next.Tool == "" {
		return o.What
	}
	return o.What + ": " + o.Next.String()
}

// MarshalText returns the line of text.
func (o Omission) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText stores the line, without parsing the call.
func (o *Omission) UnmarshalText(text []byte) error {
	*o = Omission{What: string(text)}
	return nil
}
