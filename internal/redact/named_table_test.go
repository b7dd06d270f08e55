package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// unusualSettings are texts with secret values in unusual forms. Examples are a value without "=" or ":" before it, a
// value on several lines, and a value in a table.
var unusualSettings = []string{
	"bob:hunter2x@tcp(db:3306)/app", "dsn=root:hunter2x@unix(/tmp/mysql.sock)/x",
	"name,password,age\nbob,hunter2x,12\nann,hunter2y,13\n", "id;api_token;name\n1;hunter2x;bob\n",
	"id\tsecret\tname\n1\thunter2x\tbob\n", "\"user\",\"password\"\n\"bob\",\"hunter2x\"\n",
	"user,password\r\nbob,hunter2x\r\n",
	"enable secret 5 $1$mERr$hunter2xNoS4wqbXKX7m0a", "password 7 0822455D0A16544541",
	"AWS Secret Access Key [None]: hunter2xhunter2xhunter2xhunter2xhunter2x",
	`* Added cookie sid="hunter2x" for domain x.y, path /, expire 0`,
	"db_password = <<EOT\nhunter2x\nEOT\n", "password = \"\"\"\nhunter2x\n\"\"\"\n", "password = '''\nhunter2x'''\n",
	"db.password=\\\n   hunter2x\n", "API_TOKEN=$'hunter2x'", "set -gx API_TOKEN hunter2x", "setenv API_TOKEN hunter2x",
	"password: !vault hunter2x", `"password": ["hunter2x"]`, `<secret value="hunter2x"/>`,
	`net use z: \\srv\x hunter2x /user:bob`, "psexec -u x -p hunter2x", "poetry config http-basic.x bob hunter2x",
	"aws ssm put-parameter --name /x --type SecureString --value hunter2x", "wpa_passphrase ssid hunter2x",
	"az keyvault secret set --vault-name v --name n --value hunter2x", "cqlsh -u bob -p hunter2x",
}

func TestUnusualSettings(t *testing.T) {
	t.Parallel()
	for i, text := range unusualSettings {
		want := whole(New(Options{Shapes: true}), "a line\n"+text)
		for _, v := range []string{"hunter2", "0822455D0A16544541"} {
			if strings.Contains(want, v) {
				t.Errorf("%q became %q", text, want)
			}
		}
		got := inPieces(New(Options{Shapes: true}), "a line\n"+text, rand.New(rand.NewPCG(1, uint64(i))))
		if got != want {
			t.Errorf("%q became %q, in pieces %q", text, want, got)
		}
	}
}

// Similar text without a secret stays unchanged.
func TestWhatLooksLikeUnusualSettings(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"token,kind,count\nident,letters,12\n", "name,password,age\nbob,required,12\n",
		"foo(name, password, age)\nbar(a, b2c3d4, e)\n", "password | grep x1y2z3\nfoo | b2c3d4e\n",
		"| name | password |\n|---|---|\n| b | required |\n", "| option | password |\nsome | b2c3d4e\n",
		"user,password\n", "password,username", "listening at host@tcp(1)", "key 7 is not valid", "password 7 characters",
		`{"password": ["This field is required."]}`, `"scopes_token": ["read", "write"]`, "password = \"\"\"\n",
		"The cost is $1$ in total", `x = "a" + "b"`, "net use z: \\\\srv\\x", "secret = <<EOT\nsome words of text\nEOT\n",
		"kubectl create configmap x --from-literal=mode=production", "cqlsh -u bob", "set -x", "０１２ ｗｉｄｅ",
		"12:30: x\n", "0: a\n", "ord=104 ", "\"a\" \"b\"",
	} {
		if got := whole(New(Options{Shapes: true, Values: []string{"a-Value-1"}}), text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Values that code joins from parts are found, and so are rare encodings.
func TestJoinedAndRareForms(t *testing.T) {
	t.Parallel()
	const v = "hunter2-Xq9vB7"
	for i, text := range []string{
		`x = "hunter2" + "-Xq9vB7"`, `x = "hun" + "ter2" + "-Xq9vB7";`, `$x = 'hunter2' . '-Xq9vB7';`,
		`x = "hunter2" "-Xq9vB7"`, `x = "hunter2" .. "-Xq9vB7"`, `select 'hunter2' || '-Xq9vB7'`,
		`x = "hunter2" & "-Xq9vB7"`,
		"x = \"hunter2\" +\n    \"-Xq9vB7\"", "x = \"hunter2\" \\\n    \"-Xq9vB7\"",
		`x = "hunter2" <> "-Xq9vB7"`,
		"ord=104 ord=117 ord=110 ord=116 ord=101 ord=114 ord=50 ord=45 ord=88 ord=113 ord=57 ord=118 ord=66 ord=55",
		"0: h\n1: u\n2: n\n3: t\n4: e\n5: r\n6: 2\n7: -\n8: X\n9: q\n10: 9\n11: v\n12: B\n13: 7\n",
		"ｈｕｎｔｅｒ２－Ｘｑ９ｖＢ７", "<~BQ\\37ATBOX=E-?E68n~>", "begin 644 x\n.:'5N=&5R,BU8<3EV0C<`\n`\nend\n",
		"F`V,73bWYRFCfJJ/Qd!QG!\\,1D/XH+",
	} {
		r := New(Options{Values: []string{v}, Shapes: true})
		want := whole(r, text)
		for _, part := range []string{"Xq9vB7", "Ｘｑ９ｖＢ７", "ord=88 ord=113", "8: X\n9: q",
			"ATBOX=E-?E", "6=&5R,BU8<3EV0", "FCfJJ/Qd!Q"} {
			if strings.Contains(want, part) {
				t.Errorf("%q became %q", text, want)
			}
		}
		if got := inPieces(r, text, rand.New(rand.NewPCG(2, uint64(i)))); got != want {
			t.Errorf("%q became %q, in pieces %q", text, want, got)
		}
	}
}

// A value in two strings on adjacent lines is redacted if both lines are in one write.
func TestStringsBelowEachOther(t *testing.T) {
	t.Parallel()
	r := New(Options{Values: []string{"hunter2-Xq9vB7"}, Shapes: true})
	if got := whole(r, "x = (\"hunter2\"\n    \"-Xq9vB7\")\n"); strings.Contains(got, "Xq9vB7") {
		t.Errorf("it became %q", got)
	}
}
