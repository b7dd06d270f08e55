package capture

import "fmt"

// StartError says why a command could not be started, and the exit code that
// a shell would end with.
type StartError struct {
	Name string // the program or directory
	Code int    // 127 not found, 126 found but not usable
	Err  error
}

func (e *StartError) Error() string {
	if e.Name == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s: %v", e.Name, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }
