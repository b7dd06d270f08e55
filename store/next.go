package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// NextStep is a suggestion after an error or an answer. It is a Call, a Shell line or a Text. Front ends convert it to
// text for people and agents. No code parses that text.
type NextStep interface{ nextStep() }

// Call is a question to blq, or an action of blq. Tool is the name of an MCP tool, or the name of a
// command that has no tool.
type Call struct {
	Tool      string    `json:"tool" jsonschema:"name of the tool"`
	Arguments Arguments `json:"arguments" jsonschema:"its arguments"`
	Why       string    `json:"why,omitempty" jsonschema:"what it is for"`
}

// Shell is a line for a shell. Its words are already quoted.
type Shell struct {
	Line string
	Why  string
	Or   *Call // an alternative without a shell; may be nil
}

// Text is a next step in words. It is a sentence.
type Text string

func (Call) nextStep()  {}
func (Shell) nextStep() {}
func (Text) nextStep()  {}

// Argument is an argument of a call, under the name of the tool's parameter. Its value is a string, int, float64, bool,
// []string, []int or map[string]string.
type Argument struct {
	Name  string
	Value any
}

// Arguments holds the arguments of a call in their written order. Their JSON is an object.
type Arguments []Argument

// NewCall returns a call with an explanation, which may be "". The parameter arguments holds pairs of
// a name and a value. If a value has a method String, the call has the string from that method.
func NewCall(tool, why string, arguments ...any) Call {
	c := Call{Tool: tool, Why: why}
	for i := 0; i+1 < len(arguments); i += 2 {
		name, _ := arguments[i].(string)
		c.Arguments = append(c.Arguments, Argument{Name: name, Value: plain(arguments[i+1])})
	}
	return c
}

// plain converts a value to one of the types that an Argument may have.
func plain(v any) any {
	switch v := v.(type) {
	case string, int, float64, bool, []string, []int, map[string]string:
		return v
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprint(v)
}

// Get returns the value of an argument, or nil if it is missing.
func (a Arguments) Get(name string) any {
	for _, arg := range a {
		if arg.Name == name {
			return arg.Value
		}
	}
	return nil
}

// Map returns a copy of the call. In the copy, each text is replaced by the result of f.
func (c Call) Map(f func(string) string) Call {
	out := Call{Tool: f(c.Tool), Why: f(c.Why)}
	for _, a := range c.Arguments {
		out.Arguments = append(out.Arguments, Argument{Name: f(a.Name), Value: mapText(a.Value, f)})
	}
	return out
}

func mapText(value any, f func(string) string) any {
	switch v := value.(type) {
	case string:
		return f(v)
	case []string:
		list := make([]string, len(v))
		for i, s := range v {
			list[i] = f(s)
		}
		return list
	case map[string]string:
		object := make(map[string]string, len(v))
		for key, s := range v {
			object[f(key)] = f(s)
		}
		return object
	}
	return value
}

// String returns the call in the form that agents write: inspect(ref="build:5:1"). It leaves out the explanation.
func (c Call) String() string {
	args := make([]string, len(c.Arguments))
	for i, a := range c.Arguments {
		args[i] = a.Name + "=" + literal(a.Value)
	}
	return c.Tool + "(" + strings.Join(args, ", ") + ")"
}

// literal returns the value of an argument in the form that String shows.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case []string:
		items := make([]string, len(v))
		for i, s := range v {
			items[i] = strconv.Quote(s)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case []int:
		items := make([]string, len(v))
		for i, n := range v {
			items[i] = strconv.Itoa(n)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]string:
		items := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, strconv.Quote(key)+": "+strconv.Quote(v[key]))
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return fmt.Sprint(v)
}

// MarshalJSON returns the arguments as an object.
func (a Arguments) MarshalJSON() ([]byte, error) {
	object := make(map[string]any, len(a))
	for _, arg := range a {
		object[arg.Name] = arg.Value
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(object)
	return b.Bytes(), err
}

// UnmarshalJSON reads an object. The arguments are sorted by name, because the order of the keys is lost.
func (a *Arguments) UnmarshalJSON(text []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	*a = nil
	for _, name := range slices.Sorted(maps.Keys(object)) {
		*a = append(*a, Argument{Name: name, Value: readValue(object[name])})
	}
	return nil
}

// readValue decodes a value of one of the types of arguments. Null becomes "", and any other value stays JSON.
func readValue(text json.RawMessage) any {
	var word string
	var number int
	var fraction float64
	var yes bool
	var list []string
	var numbers []int
	var object map[string]string
	switch {
	case json.Unmarshal(text, &word) == nil:
		return word
	case json.Unmarshal(text, &number) == nil:
		return number
	case json.Unmarshal(text, &fraction) == nil:
		return fraction
	case json.Unmarshal(text, &yes) == nil:
		return yes
	case json.Unmarshal(text, &list) == nil:
		return list
	case json.Unmarshal(text, &numbers) == nil:
		return numbers
	case json.Unmarshal(text, &object) == nil:
		return object
	}
	return string(text)
}
