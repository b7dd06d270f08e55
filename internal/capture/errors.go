package capture

import "fmt"

// StartError is the error of a command that could not be started. Code is the exit code that a shell would use.
type StartError struct {
	Name string // the program or directory
	Code int    // 127 when Name is not found, 126 when it cannot be run
	Err  error
}

func (e *StartError) Error() string {
	if e.Name == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s: %v", e.Name, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }
