package lexical

import (
	"strings"
	"sync"
)

// synonymLines lists synonyms, one group per line. Questions and documentation use the words of a group with the same
// meaning.
const synonymLines = `
config configuration settings
env environment
dir directory folder
arg argument
param parameter
repo repository
auth authentication
doc documentation
var variable
db database
js javascript
ts typescript
msg message
async asynchronous
dep dependency
dev development
prod production
pkg package
cmd command
cert certificate
perf performance
tmp temp temporary
lib library
init initialize
fn func function
k8s kubernetes
regex regexp
flag option
fail failure
delete remove
cancel abort
exit quit
disable off
ignore exclude skip
parallel concurrent
display show print
`

// synonyms maps the stem of a word to the stems of its synonyms.
var synonyms = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(synonymLines) {
		words := strings.Fields(line)
		for _, w := range words {
			for _, other := range words {
				if other != w {
					s := string(stem([]byte(w)))
					all[s] = append(all[s], string(stem([]byte(other))))
				}
			}
		}
	}
	return all
})
