package redact

import (
	"bytes"
	"strings"
)

// Compilers, linters and test runners print source code. In source code, the text in the place of a value is often
// another name, a call, a part of an expression, or a type.

// isCode reports whether the text in the place of the value is source code or similar text, and not a secret.
func (n *named) isCode(v string) bool {
	switch {
	case isTemplate(v), isLocation(v), isNamedAfter(v, n.name), isTag(v):
		return true
	case n.style == styleColon && !n.inQuotes && !n.tight && n.isNextField(v):
		return true
	case n.name == "passwd" && hasTail(n.left, "/"): // a file
		return true
	case n.style == styleColon && strings.HasPrefix(strings.ToLower(n.name), "token."): // a field in a table of tokens
		return true
	case n.style == styleElement:
		return hasTail(n.left, "::") // the type of a function's parameter
	case n.style == styleColumn:
		return isType(v) || isVersion(v) || isAlternative(v) || strings.EqualFold(n.name, "pass") // pass is a test result
	case n.style == stylePhrase && !isPassword(n.name):
		return strings.Contains(plainName(v), plainName(n.name)) // a type whose name has the name of the secret
	case n.inQuotes:
		return isJoin(v) || n.isUnion() || n.isSubject(v) || !isPassword(n.name) && strings.Count(v, " ") > 1 && !hasDigit(v)
	case n.isMetavariable(v):
		return true
	}
	return isQualified(v) || n.isReference(v) || n.hasQuotedName() && (isCall(v) || n.isItem(v))
}

// hasQuotedName reports whether the name is in quotes.
func (n *named) hasQuotedName() bool { return quoteLen(n.left[max(0, len(n.left)-1):]) > 0 }

// isItem reports whether a value is a variable in a map or a list, such as found in {'credential': found, 'id': 1}.
func (n *named) isItem(v string) bool {
	return len(n.behind) > 0 && strings.IndexByte(",)}]", n.behind[0]) >= 0 && strings.Trim(v, word) == "" &&
		!hasDigit(v)
}

// isMetavariable reports whether a value is a placeholder in the help of a program, such as COMMAND in
// --password=COMMAND.
func (n *named) isMetavariable(v string) bool {
	return n.name[0] == '-' && n.style == styleAssign && strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// isCall reports whether a text begins with the name of a function and an opening parenthesis: self.token(x).
func isCall(v string) bool {
	name, _, ok := strings.Cut(v, "(")
	return ok && name != "" && strings.Trim(name, word+".") == ""
}

// isNextField reports whether a value is the next field of a Go struct. In that case the field itself is empty:
// {Password: Port:5}.
func (n *named) isNextField(v string) bool {
	name, _, ok := strings.Cut(v, ":")
	return ok && name != "" && name[0] >= 'A' && name[0] <= 'Z' && nameLen([]byte(name)) == len(name) &&
		bytes.IndexByte(thisLine(n.left), '{') >= 0
}

// isTemplate reports whether a value contains placeholders.
func isTemplate(v string) bool {
	for _, mark := range []string{"#{", "%s", "%d", "%v", "%q", "%w", "%r", "%("} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	return false
}

// isVersion reports whether a word in a column is a version: 1:4.13+dfsg1-1.
func isVersion(v string) bool {
	rest := strings.TrimLeft(v, "0123456789")
	digits := strings.TrimLeft(strings.TrimLeft(rest, ".:"), "0123456789")
	return len(rest) < len(v) && len(digits)+1 < len(rest)
}

// isLocation reports whether a value is a location in a file: main.c:12:3.
func isLocation(v string) bool {
	file, rest, ok := strings.Cut(v, ":")
	dot := strings.LastIndexByte(file, '.')
	return ok && dot > 0 && len(file)-dot <= len(".proto") && rest != "" && rest[0] >= '0' && rest[0] <= '9' &&
		strings.Trim(rest, "0123456789:") == ""
}

// maxNamedAfter is the max number of digits in a longer name that contains the name of its variable. A value with more
// digits may be a secret.
const maxNamedAfter = 6

// isNamedAfter reports whether a value is a name that contains the name of its variable: PrivateKey:
// testRSA2048PrivateKey.
func isNamedAfter(v, name string) bool {
	value, own := plainName(v[strings.LastIndexByte(v, '.')+1:]), plainName(name)
	_, digits, _ := count(value)
	if value == own || v == name ||
		!isPassword(name) && strings.TrimRight(value, "0123456789") == own && len(value) < len(own)+3 {
		return true
	}
	return len(own) >= len("PrivateKey")-1 && strings.Contains(value, own) && digits <= maxNamedAfter &&
		!strings.ContainsAny(v, " :/+=")
}

// plainName returns the letters and digits of a name in lower case.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && alnum[byte(r)] {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// isType reports whether a word in a column is a type or a small number.
func isType(v string) bool {
	if port, protocol, ok := strings.Cut(v, "/"); ok && strings.Trim(port, "0123456789") == "" {
		return protocol == "tcp" || protocol == "udp"
	}
	number := strings.TrimRight(strings.TrimPrefix(strings.ToLower(v), "0x"), "ul")
	if len(v) <= len("0x12345678UL") && len(number) < len(v) && strings.Trim(number, "0123456789abcdef") == "" {
		return true
	}
	word := strings.TrimRight(strings.TrimLeft(v, "*&[]"), "*&[],;")
	letters := strings.TrimRight(word, "0123456789")
	if strings.ContainsAny(word, "[]<>") || strings.HasSuffix(v, "L") && strings.Contains(v, ",") {
		return true
	}
	switch strings.TrimSuffix(letters, "_t") {
	case "int", "uint", "float", "i", "u", "f", "s", "bool", "char", "long", "double", "string", "byte", "complex",
		"vec":
		return true
	}
	return strings.HasSuffix(word, "_t")
}

// isJoin reports whether a text between two quotes joins two strings of an expression: "a" + b + "c".
func isJoin(v string) bool {
	v = strings.TrimLeft(v, " ")
	for _, op := range []string{"+ ", ". ", ", ", "% ", "|| ", "<< ", "&& "} {
		if strings.HasPrefix(v, op) {
			return true
		}
	}
	return false
}

// isUnion reports whether another allowed value of a type follows the value, as after 'omit' in 'omit' | 'include'.
func (n *named) isUnion() bool {
	behind := bytes.TrimLeft(n.behind, "\"'")
	return len(behind) < len(n.behind) &&
		(hasHead(behind, " | '") || hasHead(behind, ` | "`))
}

// isQualified reports whether a value is a qualified name, such as self.password or conf->key2.
func isQualified(v string) bool {
	for _, object := range []string{"self.", "this.", "cls."} {
		if field, ok := strings.CutPrefix(v, object); ok && strings.Trim(field, word+".,;)") == "" {
			return true
		}
	}
	v = strings.TrimLeft(strings.TrimRight(v, ",;)]}([{"), "@$&*!")
	parts := strings.FieldsFunc(strings.ReplaceAll(strings.ReplaceAll(v, "->", "."), "::", "."),
		func(r rune) bool { return r == '.' })
	for _, p := range parts {
		p = strings.TrimRight(p, "&?") // object&.member, object?.member
		if letters := strings.TrimRight(p, "0123456789"); len(p)-len(letters) > 2 || letters == "" ||
			strings.Trim(letters, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
			return false
		}
	}
	return len(parts) > 1 && len(parts) < 6
}

//go:noinline
func hasDigit(v string) bool { return strings.ContainsAny(v, "0123456789") }
