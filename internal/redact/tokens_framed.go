package redact

// framedForms are the shapes of secrets that are recognised only by the text before them. The values of these secrets
// must also pass isGiven.
var framedForms = []struct{ name, pattern string }{
	{"elastic-user", `Password for the \[[\w]{1,40}\][ ]user[^\n:]{0,100}:[\s]{1,8}([^\s]{6,64})`},
	{"elastic-user-8", `Password for the \w{1,40}[ ]user[^\n:]{0,100}:[\s]{1,8}([^\s]{6,64})`},
	{"curl-config", `ser = "[^\s":]{1,64}:([^\s":/@]{6,200})"`},
	{"curl-config-tight", `ser="[^\s":]{1,64}:([^\s":/@]{6,200})"`},
	{"totp-seed", `OTP seed: ([2-7A-Z]{16,64})`},
	{"jfrog-header", `(?i:x-jfrog-art-api)["']?[ ]?[:=,][ ]?["']?([^\s"',]{8,})`},
	{"session-id", `(?i:sessionid)=([\w.!%-]{8,})`},
	{"honeycomb-header", `(?i:x-honeycomb-team)["']?[ ]?[:=,][ ]?["']?([^\s"',]{8,})`},
	{"session-query", `[?&]session_id=([\w.%-]{16,})`},
	{"session-query-short", `[?&](?i:session)=([\w.%-]{16,})`},
	{"session-query-sid", `[?&]sid=([\w.%-]{16,})`},
	{"session-dict", `sessionid['"]:[ ]?['"]([\w.%-]{8,})`},
	{"pagerduty-routing", `outing_key["']?[ ]?[:=][ ]?["']?([0-9a-zA-Z]{32})\b`},
	{"pagerduty-integration", `ntegration_key["']?[ ]?[:=][ ]?["']?([0-9a-zA-Z]{32})\b`},
	{"webhook-uuid", `/webhook/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b`},
	{"victorops", `victorops\.com/integrations/generic/[0-9]{1,10}/alert/([\w-]{32,40})`},
	{"healthchecks-slug", `hc-ping\.com/([\w-]{22})/`},
	{"ldap-hash", `\{SSHA[0-9]{0,3}\}([0-9A-Za-z+/]{24,}={0,2})`},
	{"ldap-hash-plain", `\{SHA[0-9]{0,3}\}([0-9A-Za-z+/]{24,}={0,2})`},
	{"redis-user", `user[ ][^\s]{1,64}[ ]on[ ]>([^\s]{3,200})`},
	{"pserver", `:pserver:[^\s:@]{1,64}:([^\s@:/]{3,200})@`},
	{"session-php", `(?i:phpsessid)=([\w.!%-]{8,})`},
	{"netscape-cookie", `\tTRUE\t/[^\t\n]{0,200}\t[A-Z]{4,5}\t[0-9]{1,12}\t[^\t\n]{1,200}\t([^\s]{4,1000})`},
	{"netscape-cookie-host", `\tFALSE\t/[^\t\n]{0,200}\t[A-Z]{4,5}\t[0-9]{1,12}\t[^\t\n]{1,200}\t([^\s]{4,1000})`},
	{"azure-key-pair", `aryKey["']?[ ]?[:=][ ]?["']([0-9A-Za-z+/]{32,}={0,2})["']`}, // primaryKey, secondaryKey
	{"recovery-code", `(?i:ecovery code)[s]?["']?[^\n\w]{1,4}([^\s"']{6,64})`},
	{"backup-code", `(?i:ackup code)[s]?["']?[^\n\w]{1,4}([^\s"']{6,64})`},
	{"cryptsetup", `cryptsetup: key ([^\s]{4,64})`},
	{"cryptsetup-passphrase", `cryptsetup: passphrase ([^\s]{4,64})`},
	{"express-session", `connect\.sid=([\w.%-]{12,})`},
	{"session-cookie", `_session=([\w.%=-]{16,})`},
	{"device-code", `(?i:device_code)["']?[ ]?[=:][ ]?["']?([\w.~-]{8,})`},
	{"cas-ticket", `[?&]ticket=([\w.-]{8,})`},
	{"nomad", `ecret ID[ ]{1,12}[=:][ ]{1,4}([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`},
	{"google-signature", `X-Goog-Signature=([0-9a-f]{64,})`},
	{"oauth-signature", `oauth_signature=["']?([\w%+/=-]{8,})`},
	{"saml-response", `SAMLResponse["']?[ ]?[=:][ ]?["']?([\w+/%]{60,}={0,2})`},
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
