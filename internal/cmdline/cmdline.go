// Package cmdline formats next steps as command lines, for people and for programs that show them as text. It may
// import store, query/questions and internal/shellword.
package cmdline

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// Of returns a next step as one line: a command, followed by "   # " and its explanation, or a sentence. It returns ""
// for nil.
func Of(step store.NextStep) string {
	switch s := step.(type) {
	case store.Call:
		return Explained(Words(s), s.Why)
	case store.Shell:
		return Explained(s.Line, s.Why)
	case store.Text:
		return string(s)
	}
	return ""
}

// Explained returns a command or call with its explanation. The explanation is a shell comment and stays on the same
// line.
func Explained(command, why string) string {
	why = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, why)
	if command == "" || why == "" {
		return command + why
	}
	return command + "   # " + why
}

// Words returns the command line of a call, without its explanation.
func Words(c store.Call) string {
	if program, ok := oneWord(c); ok {
		return "blq run -- " + shellword.Quote(program)
	}
	command := commandOf(c.Tool)
	var words, flags, plain, last []string
	for _, p := range command.params(c.Arguments) {
		written := p.write(c.Arguments.Get(p.name))
		switch p.flag {
		case questions.Dashes:
			last = append(last, written...)
			continue
		case "":
			plain = append(plain, written...)
		default:
			flags = append(flags, written...)
		}
		words = append(words, written...)
	}
	if slices.ContainsFunc(plain, beginsWithDash) {
		words = slices.Concat(flags, []string{"--"}, plain) // after --, no word is read as a flag
	}
	if len(last) > 0 {
		last = append([]string{"--"}, last...)
	}
	return strings.Join(slices.Concat([]string{"blq", command.words}, words, last), " ")
}

// beginsWithDash reports whether a word, quoted or not, begins with a dash.
func beginsWithDash(word string) bool {
	return strings.HasPrefix(word, "-") || strings.HasPrefix(word, "'-") || strings.HasPrefix(word, `"-`)
}

// oneWord returns the command of a call of exec, if the command is a single word and the only argument. Such a command
// needs no shell. The second result is false for other calls.
func oneWord(c store.Call) (string, bool) {
	text, _ := c.Arguments.Get("command").(string)
	words, ok := shellword.Split(text)
	if c.Tool != "exec" || len(c.Arguments) > 1 || !ok || len(words) > 1 {
		return "", false
	}
	return words[0], true
}

// write returns a parameter with its value as quoted words.
func (p param) write(value any) []string {
	var flag []string
	if p.flag != "" && p.flag != questions.Dashes {
		flag = []string{shellword.Quote("--" + p.flag)}
	}
	switch v := value.(type) {
	case bool:
		if flag != nil && v {
			return flag
		} else if flag != nil {
			return []string{flag[0] + "=false"}
		}
	case []string:
		if flag != nil {
			return append(flag, shellword.Quote(strings.Join(v, ",")))
		}
		return quoteAll(v)
	case []int:
		list := make([]string, len(v))
		for i, n := range v {
			list[i] = strconv.Itoa(n)
		}
		return p.write(list)
	case map[string]string:
		var words []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			words = append(append(words, flag...), shellword.Quote(key+"="+v[key]))
		}
		return words
	}
	text := fmt.Sprint(value)
	if p.name == "sql" && !strings.ContainsAny(text, "\"$`\\!") {
		return append(flag, `"`+text+`"`) // SQL uses single quotes
	}
	return append(flag, shellword.Quote(text))
}

func quoteAll(words []string) []string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellword.Quote(w)
	}
	return quoted
}
