package project

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// definedFile has a line for each definition of a registered command that ran: its name and the shape of its step.
const definedFile = "defined"

// Defined returns the shapes of the registered commands that ran in a project, by name. The shape of the newest
// definition of a command is the last one. folder is the project's .lq folder. If there are none, or if they cannot be
// read, the result is empty.
func Defined(folder string) map[string][]string {
	text, _ := os.ReadFile(filepath.Join(folder, definedFile))
	defined := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 { // a crash may have left half a line
			defined[f[0]] = append(defined[f[0]], f[1])
		}
	}
	return defined
}

// NoteDefined records the shape with which a registered command runs, if it differs from the newest one. Several
// processes may append lines at the same time.
func (w *Project) NoteDefined(name, shape string) error {
	if shapes := Defined(w.Dir)[name]; len(shapes) > 0 && shapes[len(shapes)-1] == shape {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(w.Dir, definedFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("\n" + name + " " + shape + "\n")) // begins with a newline in case a crash left half a line
	return errors.Join(err, f.Close())
}
