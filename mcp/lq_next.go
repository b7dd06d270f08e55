package mcp

import (
	"strconv"

	"github.com/blq-ci/blq/store"
)

// lqCall converts a call of blq's tools to a call of lq's tools. If lq has no such call, it returns the call unchanged.
func lqCall(c store.Call) store.Call {
	run := serial(c.Arguments.Get("ref"))
	switch c.Tool {
	case "events":
		switch severity, _ := c.Arguments.Get("severity").(string); severity {
		case "", "error":
			return lqListCall(c, "errors", run)
		case "warning":
			return lqListCall(c, "warnings", run)
		}
	case "inspect":
		return store.NewCall("event", c.Why, "ref", shortRef(c.Arguments.Get("ref")))
	case "diff":
		run1, run2 := serial(c.Arguments.Get("run1")), serial(c.Arguments.Get("run2"))
		if run1 > 0 && run2 > 0 {
			return store.NewCall("diff", c.Why, "run1", run1, "run2", run2)
		}
	case "info", "triage":
		if run > 0 {
			return store.NewCall("errors", c.Why, "run_id", run)
		}
	}
	return c
}

// lqListCall converts a call of the tool events to a call of the given tool, which is errors or warnings.
func lqListCall(c store.Call, tool string, run int) store.Call {
	out := store.Call{Tool: tool, Why: c.Why}
	if run > 0 {
		out.Arguments = append(out.Arguments, store.Argument{Name: "run_id", Value: run})
	}
	for _, a := range c.Arguments {
		if a.Name == "limit" || a.Name == "source" {
			out.Arguments = append(out.Arguments, a)
		}
	}
	return out
}

// serial returns the serial in a reference, or 0 if the reference has none.
func serial(ref any) int {
	switch ref := ref.(type) {
	case int:
		return ref
	case string:
		if n, err := strconv.Atoi(ref); err == nil {
			return n
		}
		if parsed, err := store.ParseRef(ref); err == nil {
			return parsed.Serial
		}
	}
	return 0
}

// shortRef returns a reference in the form of lq, such as 5:3.
func shortRef(ref any) string {
	text, _ := ref.(string)
	if parsed, err := store.ParseRef(text); err == nil && parsed.Serial > 0 {
		return parsed.Short()
	}
	return text
}
