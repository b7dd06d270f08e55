package redact

import (
	"encoding/json"
	"fmt"
	"strings"
)

// escapes adds v as programs escape it for JSON, URLs, XML, shells and the like.
func (f *formset) escapes(v string) {
	for _, t := range []string{
		jsonText(v), jsonText(jsonText(v)), asciiJSON(v, `\u%04x`), asciiJSON(v, `\u%04X`),
		strings.ReplaceAll(jsonText(v), "/", `\/`), htmlJSON(v),
		xmlQuotes.Replace(v), htmlQuotes.Replace(v), pythonHTML.Replace(v), xmlText.Replace(v),
		strings.ReplaceAll(v, `'`, `'\''`), strings.ReplaceAll(v, `'`, `'"'"'`), strings.ReplaceAll(v, `'`, `''`),
		strings.ReplaceAll(v, `"`, `""`),
		escaped(v, `\`, `"$`+"`"+`\`), escaped(v, `\`, `"`), escaped(v, `\`, `'\`), escaped(v, `\`, shellSpecial),
		escaped(v, "`", "\"$`"), escaped(v, "^", "&|<>^()%!\""),
		strings.ReplaceAll(strings.ReplaceAll(v, `\`, `\\`), "\n", `\n`), strings.ReplaceAll(v, "\n", `\n`),
		commandData.Replace(v),
	} {
		f.text(t)
	}
	for _, keep := range unescaped {
		for _, format := range []string{"%02X", "%02x"} {
			t := percent(v, keep, format)
			f.text(t)
			f.text(strings.ReplaceAll(t, "%20", "+"))
		}
	}
	for _, t := range ampersands(v) {
		f.text(t)
	}
}

// unescaped are the sets of characters that URL encoders do not escape, besides letters and digits.
var unescaped = []string{
	"-._~",                         // RFC 3986
	"-._",                          // PHP
	"-._*",                         // forms
	"-._~/",                        // Python
	"-._~!*'()",                    // encodeURIComponent
	"-._~$&+=:@",                   // Go, a segment of a path
	"-._~$&+=:@/",                  // Go, a path
	"-._~$&+,;=",                   // Go, a user
	"-._~!$&'()*+,;=:@",            // RFC 3986, a segment
	"-._~!$&'()*+,;=:@/?",          // RFC 3986, a query
	"-._~!*'();/?:@&=+$,#",         // encodeURI
	"-._~!$%&'()*+,",               // WHATWG, a password
	"-._~!$%&()*+,;=:@/?[]\\^`{|}", // WHATWG, a query
}

const shellSpecial = " \t!\"#$&'()*,;<=>?[\\]^`{|}~"

var (
	xmlQuotes   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")
	htmlQuotes  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
	pythonHTML  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;")
	xmlText     = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	commandData = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
)

// jsonText returns v escaped for a JSON string.
func jsonText(v string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // cannot fail: a string, written to memory
	return unquoted(b.String())
}

// htmlJSON returns v as Go writes it by default, with < and & escaped as well.
func htmlJSON(v string) string {
	b, _ := json.Marshal(v) // cannot fail: a string
	return unquoted(string(b))
}

func unquoted(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(s, "\n"), `"`), `"`)
}

// asciiJSON returns v with all characters beyond ASCII escaped, as Python and .NET do.
func asciiJSON(v, format string) string {
	var b strings.Builder
	for _, r := range jsonText(v) {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, format, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&b, format+format, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return b.String()
}

// escaped returns v with mark before each byte that is in special.
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

// percent returns v escaped for a URL. Letters, digits and the bytes in keep are not escaped; the
// others are written with format.
func percent(v, keep, format string) string {
	var b strings.Builder
	for i := range len(v) {
		c := v[i]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%"+format, c)
		}
	}
	return b.String()
}

// ampersands returns the parts of v that PowerShell prints in an error about a command: it colours
// them separately, and drops one character after "&+".
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
