package action

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"

	"github.com/sethvargo/go-githubactions"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// The levels of annotations.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelNotice  = "notice"
)

// longest is how much of an annotation's message the runner keeps.
const longest = 4096

// issue writes a workflow command. What cannot be written is nobody's concern:
// the runner is gone, or has closed its end.
func (j *Job) issue(name, message string, properties githubactions.CommandProperties) {
	defer func() { _ = recover() }() // the library panics where it cannot write
	for key, v := range properties {
		if v == "" || v == "0" {
			delete(properties, key)
		} else {
			properties[key] = oneLine(v)
		}
	}
	out := githubactions.New(githubactions.WithWriter(j.Notes))
	out.IssueCommand(&githubactions.Command{Name: name, Message: clip(query.Clean(message), longest), Properties: properties})
}

// warn tells in an annotation what was lost, or is wrong with the inputs.
func (j *Job) warn(format string, args ...any) {
	j.issue(levelWarning, oneLine(fmt.Sprintf(format, args...)), githubactions.CommandProperties{"title": "blq"})
}

// Say tells in a line of the log.
func (j *Job) Say(format string, args ...any) {
	line := oneLine(fmt.Sprintf(format, args...))
	fmt.Fprintln(j.Notes, "blq: "+line)
}

// oneLine makes one line of text, so that no part of it is read as a command.
func oneLine(s string) string { return strings.Join(strings.Fields(query.Clean(s)), " ") }

// clip cuts text to so many characters.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

// fileCommand sets an output or a variable by the runner's file for it. The
// delimiter is one that nobody can guess: values come from strangers.
func (j *Job) fileCommand(file, name, value string) error {
	path := j.Getenv(file)
	if path == "" {
		return store.Errorf(store.Unavailable, "%s is not set", file)
	}
	delimiter := "blq_" + rand.Text()
	return appendTo(path, name+"<<"+delimiter+"\n"+value+"\n"+delimiter+"\n")
}

// appendTo adds text to one of the runner's files in a single write.
func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
