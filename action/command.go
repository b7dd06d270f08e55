package action

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf16"

	"github.com/sethvargo/go-githubactions"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// These are the levels of annotations.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelNotice  = "notice"
)

// longest is the max number of characters that the runner keeps of an annotation's message.
const longest = 4096

// issue writes a workflow command. It ignores errors, because an error means that the runner has stopped reading.
func (j *Job) issue(name, message string, properties githubactions.CommandProperties) {
	defer func() { _ = recover() }() // the library panics if it cannot write
	for key, v := range properties {
		if v == "" || v == "0" {
			delete(properties, key)
		} else {
			properties[key] = j.Redactor.Label(oneLine(v))
		}
	}
	out := githubactions.New(githubactions.WithWriter(j.Notes))
	out.IssueCommand(&githubactions.Command{Name: name, Message: clip(j.Redactor.String(query.Clean(message)), longest),
		Properties: properties})
}

// warn writes a warning annotation about lost data or wrong inputs.
func (j *Job) warn(format string, args ...any) {
	j.issue(levelWarning, oneLine(fmt.Sprintf(format, args...)), githubactions.CommandProperties{"title": "blq"})
}

// Say writes a line to the job's log.
func (j *Job) Say(format string, args ...any) {
	line := j.Redactor.Label(oneLine(fmt.Sprintf(format, args...)))
	fmt.Fprintln(j.Notes, "blq: "+line)
}

// oneLine joins the lines of a text, so that the runner cannot take a line of the text for a workflow command.
func oneLine(s string) string { return strings.Join(strings.Fields(query.Clean(s)), " ") }

// clip cuts text to maxChars characters.
func clip(s string, maxChars int) string {
	if len(s) <= maxChars {
		return s
	}
	runes := []rune(s)
	if len(runes) <= maxChars {
		return s
	}
	return string(runes[:maxChars-1]) + "…"
}

// fileCommand sets an output or a variable by writing to the runner's file. The delimiter of the value is random,
// because the value is not trusted.
func (j *Job) fileCommand(file, name, value string) error {
	path := j.Getenv(file)
	if path == "" {
		return store.Errorf(store.Unavailable, "%s is not set", file)
	}
	delimiter := "blq_" + rand.Text()
	return appendTo(path, name+"<<"+delimiter+"\n"+value+"\n"+delimiter+"\n")
}

// appendTo adds text to a file of the runner in a single write, in the encoding of the file. PowerShell 5 writes
// UTF-16. If the step has left a line without an end in the file, appendTo ends this line first. Otherwise the runner
// would refuse the whole file and fail the step.
func appendTo(path, text string) error {
	order := wide(path)
	if inLine(path, order) {
		text = "\n" + text
	}
	out := []byte(text)
	if order != nil {
		out = nil
		for _, unit := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, unit)
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(out)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// wide returns the byte order of a file in UTF-16. The file shows it by a byte order mark at its beginning. wide
// returns nil for all other files.
func wide(path string) binary.AppendByteOrder {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	begin := make([]byte, 2)
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if _, err := io.ReadFull(f, begin); err != nil {
		return nil
	}
	switch string(begin) {
	case "\xff\xfe":
		return binary.LittleEndian
	case "\xfe\xff":
		return binary.BigEndian
	}
	return nil
}

// inLine reports whether a file ends without a line end. The parameter order is the result of wide for the file.
func inLine(path string, order binary.AppendByteOrder) bool {
	end := []byte("\n")
	if order != nil {
		end = order.AppendUint16(nil, '\n')
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() < int64(len(end)) {
		return false
	}
	last := make([]byte, len(end))
	_, err = f.ReadAt(last, info.Size()-int64(len(end)))
	return err == nil && !bytes.Equal(last, end)
}
