package query

import "github.com/blq-ci/blq/store"

// Omission describes a part that an answer leaves out, and names the call that returns this part. Its JSON is a
// string, "what: call".
type Omission struct {
	What string
	Next store.Call // zero if no call returns the part
}

// String returns the omission as a line of text.
func (o Omission) String() string {
	if o.Next.Tool == "" {
		return o.What
	}
	return o.What + ": " + o.Next.String()
}

// MarshalText returns the omission as a line of text.
func (o Omission) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText stores the text as it is. It does not parse the call.
func (o *Omission) UnmarshalText(text []byte) error {
	*o = Omission{What: string(text)}
	return nil
}
