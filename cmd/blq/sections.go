package main

import (
	"fmt"
	"io"

	"github.com/blq-ci/blq/query"
)

func (a *app) heading(severity, ref, place, message string) {
	s := a.style
	code := red
	if severity != "error" {
		code = yellow
	}
	line := s.paint(code, severity) + " " + s.paint(cyan, ref)
	if place != "" {
		line += " " + s.paint(bold, place)
	}
	fmt.Fprintf(a.stdout, "%s\n%s\n", line, message)
}

func (a *app) section(title string) {
	if a.style.plain {
		fmt.Fprintf(a.stdout, "%s:\n", title)
		return
	}
	fmt.Fprintf(a.stdout, "\n%s\n", a.style.paint(dim, "── "+title))
}

// fields prints pairs of a name and a value. It leaves out pairs without a value.
func (a *app) fields(pairs [][2]string) {
	for _, p := range pairs {
		if p[1] != "" {
			fmt.Fprintf(a.stdout, "%s %s\n", a.style.paint(dim, p[0]+":"), p[1])
		}
	}
}

func (a *app) marked(lines []query.ContextLine) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := io.WriteString(a.stdout, query.Marked(lines)+"\n")
	return err
}

func lineRange(from, to int) string {
	switch {
	case from == 0:
		return ""
	case to > from:
		return fmt.Sprintf("%d-%d", from, to)
	}
	return fmt.Sprint(from)
}
