package formats

import "testing"

// TestRefusedArguments checks that refusesArguments finds the messages of programs that refuse their arguments, but not
// warnings and similar texts.
func TestRefusedArguments(t *testing.T) {
	for text, want := range map[string]bool{
		"cp: unrecognized option '--x'":                       true,
		"Unknown command: deploy":                             true,
		"unknown flag: --x":                                   true,
		"/usr/bin/ocaml: unknown option '--x'.":               true,
		"chmod: missing operand after ‘a’":                    true,
		"rsync: --x: unknown option":                          true,
		"ldc2: Unknown command line argument '--x'.":          true,
		"libtoolize:   error: unrecognised option: '--x'":     true,
		`The "--x" option does not exist.`:                    true,
		"configure: WARNING: unrecognized options: --with-x":  false,
		"warning: unknown option '--x'":                       false,
		"Unknown host":                                        false,
		"parsed an option that was unknown":                   false,
		"All arguments are known":                             false,
		"ok 4 - script: fails with too many arguments in all": false,
	} {
		if got := refusesArguments(text); got != want {
			t.Errorf("refusesArguments(%q) = %v, want %v", text, got, want)
		}
	}
}
