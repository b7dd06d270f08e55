package markup

import (
	"bytes"
	"strings"
)

// frontMatter returns the title in the front matter of a document, and the number of the first line after the front
// matter.
func frontMatter(lines *Lines) (title string, first int) {
	fence := string(bytes.TrimRight(lines.Line(1), " \t"))
	if fence != "---" && fence != "+++" {
		return "", 1
	}
	settings := false
	for n := 2; n <= lines.Len(); n++ {
		line := bytes.TrimRight(lines.Line(n), " \t")
		if string(line) == fence || fence == "---" && string(line) == "..." {
			return title, n + 1
		}
		if !settings && len(line) > 0 {
			if settings = line[0] == '#' || bytes.ContainsAny(line, ":=["); !settings {
				return "", 1 // the document begins with a thematic break
			}
		}
		if t, ok := titleSetting(string(line)); ok && title == "" {
			title = t
		}
	}
	return "", 1
}

// titleSetting returns the title that a line of YAML or TOML sets, and reports whether the line sets a title.
func titleSetting(line string) (string, bool) {
	value, ok := strings.CutPrefix(line, "title")
	if !ok {
		return "", false
	}
	value = strings.TrimLeft(value, " \t")
	if value == "" || value[0] != ':' && value[0] != '=' {
		return "", false
	}
	value = strings.TrimSpace(value[1:])
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	return value, value != "" && !strings.ContainsAny(value[:1], "|>&*{[")
}
