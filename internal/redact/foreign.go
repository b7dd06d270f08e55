package redact

import (
	"bytes"
	"strings"
)

// foreignNames are words for password in other languages. Some words lack their first letters, so that the case of
// these letters does not matter.
var foreignNames = []string{"ennwort", "ENNWORT", "ot_de_passe", "ot de passe", "OT_DE_PASSE", "otDePasse", "otdepasse",
	"traseña", "TRASEÑA", "trasena", "TRASENA", "senha", "Senha", "SENHA", "achtwoord", "ACHTWOORD",
	"hasło", "Hasło", "пароль", "Пароль", "ПАРОЛЬ", "密码", "密碼", "口令", "パスワード", "비밀번호"}

// rareShapes returns shapes for rare forms of secrets.
func rareShapes() []*shape {
	bound := &shape{name: "bound", within: boundValues, triggers: []string{"-- ["}}
	unique := &shape{name: "unique", within: uniqueValue, triggers: []string{"Key ("}}
	return []*shape{foreignShape(), bound, unique, valuedShape()}
}

// foreignShape returns the shape of a password after one of foreignNames, such as "Kennwort: VALUE".
func foreignShape() *shape {
	return &shape{name: "foreign", within: foreignValue, triggers: foreignNames,
		may: func(text []byte) bool { return begins(text, foreignNames) }}
}

func foreignValue(p position) match {
	if ok, more := p.begins(foreignNames...); !ok {
		return match{more: more}
	}
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	at := 0
	for _, name := range foreignNames {
		if hasHead(line, name) {
			at = len(name)
		}
	}
	rest := bytes.TrimLeft(line[at:], "\"'`* \t")
	given := false
	for _, mark := range []string{":=", "=>", ":", "=", "：", "＝", "是", "は"} {
		if next, ok := bytes.CutPrefix(rest, []byte(mark)); ok {
			rest, given = next, true
			break
		}
	}
	rest = bytes.TrimLeft(rest, "* \t")
	quote := quoteLen(rest)
	from := len(line) - len(rest) + quote
	end := from + valueLen(line[from:], line[from-quote:from])
	v := string(line[from:end])
	ascii := !strings.ContainsFunc(v, func(r rune) bool { return r > '~' })
	return match{from: from, to: end, ok: given && ascii && isGiven(v)}
}

// boundValues finds the secrets among the parameters that are logged with an SQL statement: UPDATE u SET password =
// $1 -- ["VALUE"].
func boundValues(p position) match {
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	row, end := listOfSQL(line, len("-- "))
	if end == 0 {
		return match{}
	}
	var numbers []int
	words := bytes.FieldsFunc(thisLine(p.before), func(r rune) bool { return strings.ContainsRune(" =,()\"`;", r) })
	for i, w := range words {
		if n := digits(w[min(len(w), 1):]); i > 0 && n > 0 && n < 3 && w[0] == '$' && isSureName(string(words[i-1])) {
			number := 0
			for _, c := range w[1 : 1+n] {
				number = number*10 + int(c-'0')
			}
			numbers = append(numbers, number-1)
		}
	}
	var found match
	for _, n := range numbers {
		if n >= 0 {
			found.addAll(cellsOf(line, row, []int{n}))
		}
	}
	return found
}

// uniqueValue finds the secrets in PostgreSQL's message about a duplicate key: Key (email, api_key)=(a@b, VALUE)
// already exists.
func uniqueValue(p position) match {
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	columns, at := listOfSQL(line, len("Key "))
	secret := secretColumns(line, columns)
	if at == 0 || len(secret) == 0 || !hasHead(line[at:], "=(") {
		return match{}
	}
	row, _ := listOfSQL(line, at+1)
	var found match
	found.addAll(cellsOf(line, row, secret))
	return found
}

// bundleShape returns the shape of the credentials for a gem server in Bundler's configuration:
// BUNDLE_GEMS__EXAMPLE__COM: "bob:VALUE". The two underscores in such a name replace a dot of the host.
func bundleShape() *shape {
	return &shape{name: "bundle", within: hostCredentials, triggers: []string{"BUND"},
		may: func(text []byte) bool { return begins(text, []string{"BUNDLE_"}) }}
}

func hostCredentials(p position) match {
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	name := nameLen(line)
	host := strings.TrimPrefix(string(line[:name]), "BUNDLE_")
	gap, ok := fieldGap(line[name:])
	if !ok || !strings.Contains(host, "__") || strings.Contains(host, "BUILD__") || strings.Contains(host, "MIRROR__") ||
		strings.Contains(host, "LOCAL__") || strings.Contains(host, "__URL") {
		return match{}
	}
	from := name + gap
	quote := quoteLen(line[from:])
	from += quote
	to := from + valueLen(line[from:], line[from-quote:from])
	if user := bytes.IndexByte(line[from:to], ':'); user >= 0 {
		from += user + 1
	}
	v := string(line[from:to])
	return match{from: from, to: to, ok: isGiven(v) && !strings.Contains(v, "/")}
}
