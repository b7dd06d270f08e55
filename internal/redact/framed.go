package redact

// framedForms are secrets that only the text before them identifies. The values of these secrets must also pass
// isGiven.
var framedForms = []struct{ name, pattern string }{
	{"elastic-user", `Password for the \[[\w]{1,40}\][ ]user[^\n:]{0,100}:[\s]{1,8}([^\s]{6,64})`},
	{"jfrog-header", `(?i:x-jfrog-art-api)["']?[ ]?[:=,][ ]?["']?([^\s"',]{8,})`},
	{"session-id", `(?i:sessionid)=([\w.!%-]{8,})`},
	{"session-php", `(?i:phpsessid)=([\w.!%-]{8,})`},
	{"netscape-cookie", `\tTRUE\t/[^\t\n]{0,200}\t[A-Z]{4,5}\t[0-9]{1,12}\t[^\t\n]{1,200}\t([^\s]{4,1000})`},
	{"netscape-cookie-host", `\tFALSE\t/[^\t\n]{0,200}\t[A-Z]{4,5}\t[0-9]{1,12}\t[^\t\n]{1,200}\t([^\s]{4,1000})`},
	{"pkce", `(?i:code_verifier)["']?[ ]?[=:][ ]?["']?([\w.~-]{8,})`},
}

func framedShapes() []*shape {
	var list []*shape
	for _, f := range framedForms {
		s := compileShape(f.name, f.pattern)
		s.check = isGiven
		list = append(list, s)
	}
	return list
}
