package formats

import (
	"strings"
	"testing"
)

func TestShellTextKnowsWhetherACommandGoesOn(t *testing.T) {
	for script, open := range map[string]bool{
		"make":                               false,
		"make && make test":                  false,
		"make &&":                            true,
		"make \\":                            true,
		"if [ -f x ]; then":                  true,
		"if [ -f x ]; then\n  make\nfi":      false,
		"for f in *; do make $f; done":       false,
		"case $x in":                         true,
		"case $x in\n a) make ;;\nesac":      false,
		"echo if":                            false,
		"echo 'it is\nlong'":                 false,
		"echo 'it is":                        true,
		"echo \"a \\\" b\"":                  false,
		"x $(if [ $A == 0 ]; then b; fi)":    false,
		"x `if a; then b; fi`":               false,
		"make # if it works":                 false,
		"while true; do\n make || { x; }":    true,
		"f() {\n make\n}":                    false,
		`echo $'a\'b'`:                       false,
		`echo x=$'a\'b`:                      true,
		`echo "$(grep -c '"' x)"`:            false,
		`x="$(if a; then b; fi)"`:            false,
		`echo "$(`:                           true,
		`echo "$((1 + (2)))" "${x#y}"`:       false,
		"if ! grep x; then if y; then z; fi": true,
	} {
		var sh shellText
		for line := range strings.SplitSeq(script, "\n") {
			sh.line(line)
		}
		if sh.open() != open {
			t.Errorf("%q: goes on %v, want %v", script, sh.open(), open)
		}
	}
}
