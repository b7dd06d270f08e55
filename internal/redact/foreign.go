package redact

import (
	"bytes"
	"strings"
)

// foreignNames are words for a password in other languages than English, without the first letters that are capital
// or small.
var foreignNames = []string{"ennwort", "ENNWORT", "ot_de_passe", "ot de passe", "OT_DE_PASSE", "otDePasse", "otdepasse",
	"traseña", "TRASEÑA", "trasena", "TRASENA", "senha", "Senha", "SENHA", "achtwoord", "ACHTWOORD",
	"hasło", "Hasło", "пароль", "Пароль", "ПАРОЛЬ", "密码", "密碼", "口令", "パスワード", "비밀번호"}

// foreignShape returns the shape of a password behind such a word: Kennwort: VALUE.
func foreignShape() *shape {
	return &shape{name: "foreign", within: foreignValue, triggers: foreignNames,
		may: func(text []byte) bool { return begins(text, foreignNames) }}
}

func foreignValue(p place) match {
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
