package redact

import (
	"strings"
	"sync"
)

// escapes adds the forms of a value in which shells and programs escape special characters. It leaves out the forms
// that views decode: the escapes of JSON, URLs, XML and HTML, and backslashes before special characters (see the
// function code). Parts of the value may look like such escapes. So escapes also adds the value as views decode it.
func (f *formset) escapes(v string) {
	for _, t := range []string{
		strings.ReplaceAll(v, `'`, `'\''`), gitQuotes().Replace(v),
		strings.ReplaceAll(v, `'`, `'"'"'`), strings.ReplaceAll(v, `'`, `''`),
		strings.ReplaceAll(v, `"`, `""`),
		escaped(v, "`", "\"$`"), escaped(v, "^", "&|<>^()%!\""),
		strings.ReplaceAll(v, "\n", `\n`),
		strings.ReplaceAll(v, " ", "+"),
	} {
		f.text(t)
	}
	for _, t := range ampersands(v) {
		f.text(t)
	}
	var shown view
	shown.addAll([]byte(v), 0, 0)
	for range 2 { // views decode text twice, also the parts of v that look like escapes
		var decoded view
		_, ok := decoded.decode(&shown, true)
		if shown = decoded; !ok || len(shown.text) < shortestSecret {
			return
		}
		f.text(string(shown.text))
	}
}

// gitQuotes escapes text inside of single quotes as git does in traces (GIT_TRACE=1).
var gitQuotes = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer(`'`, `'\''`, `!`, `'\!'`) })

// escaped returns a value with the escape character mark before each of the special bytes.
func escaped(v, mark, special string) string {
	if !strings.ContainsAny(v, special) {
		return v
	}
	var b strings.Builder
	for i := range len(v) {
		if strings.IndexByte(special, v[i]) >= 0 {
			b.WriteString(mark)
		}
		b.WriteByte(v[i])
	}
	return b.String()
}

// ampersands returns the parts of a value that PowerShell prints in an error about a command. PowerShell colours the
// parts separately, and drops one character after "&+".
func ampersands(v string) []string {
	head, tail := v, ""
	if i := strings.Index(v, "&+"); i >= 0 {
		head, tail = v[:i+2], v[min(len(v), i+3):]
	} else if i := strings.LastIndexByte(v, '&'); i >= 0 {
		head, tail = v[:i+1], v[i+1:]
	}
	var parts []string
	for _, part := range []string{head, tail} {
		if len(part) >= 6 && part != v {
			parts = append(parts, part)
		}
	}
	return parts
}
