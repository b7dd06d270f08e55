package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// commands are command lines with secrets that look ordinary: hunter, correcthorse, 482913.
var commands = []string{
	"curl -u bob:hunter https://h/x", "curl -ubob:hunter https://h", "curl --user bob:hunter https://h",
	"curl --user=bob:hunter https://h", "curl -s -u 'bob:hunter' h", `curl -u "bob:hunter" h`,
	"curl --proxy-user bob:hunter h",
	"sshpass -p hunter ssh h", "sshpass -phunter ssh h", "sshpass -p 'hunter' scp a b:",
	"mysql -uroot -phunter db", "mysqldump -u root -phunter --all", "mysql --password=hunter db", "mariadb -phunter",
	"docker login -u bob -p hunter ghcr.io", "docker login -u bob --password hunter", "podman login --password=hunter q",
	"az login -u bob -p hunter", "az login --service-principal -p hunter", "oc login --token hunter",
	"helm registry login -p hunter r",
	"kubectl --token hunter get pods", "kubectl --token=hunter get pods",
	"kubectl create secret generic x --from-literal=password=hunter",
	"PGPASSWORD=hunter psql -h h", "export TOKEN=hunter", "TOKEN=hunter make", "env API_KEY=correcthorse make",
	"export NPM_TOKEN='hunter'", `export DB_PASSWORD="hunter"`,
	"git remote add o https://x-access-token:hunter@github.com/a/b", "git clone https://bob:hunter@h/r.git",
	"aws configure set aws_secret_access_key hunterhunter --aws_secret_access_key=correcthorse",
	"aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12",
	`curl -H "Authorization: Bearer hunter" h`, "curl -H 'Authorization: Basic correcthorse' h",
	`curl -H "Authorization: token hunter" h`, `curl -H "X-Api-Key: correcthorse" h`,
	"curl --header 'PRIVATE-TOKEN: hunter' h", `git -c http.extraheader="AUTHORIZATION: basic correcthorse" fetch`,
	"tool --password hunter", "tool --password=hunter", "tool --passphrase hunter run", "tool --api-key correcthorse",
	"tool --client-secret=hunter", "tool --db-password hunter --x", "tool --token 482913", "tool -password hunter",
	"java -Djavax.net.ssl.keyStorePassword=hunter -jar x",
	"keytool -storepass hunter -keypass correcthorse", "openssl rsa -passin pass:hunter -in k",
	"gpg --batch --passphrase hunter -d f", "redis-cli -a hunter ping", "unzip -P hunter a.zip", "sqlcmd -S h -P hunter",
	"ldapsearch -w hunter -x",
	"echo hunter | docker login --password-stdin", "echo 'bob:hunter' | chpasswd",
	"echo hunter | gh auth login --with-token", "npm config set //npm.example.com/:_authToken=hunter",
	"npm config set //r/:_password=correcthorse",
	"lftp -u bob,hunter h", "TF_VAR_db_password=hunter terraform apply", "wget --password=hunter u",
	"svn co --username bob --password hunter u", "twine upload -u bob -p hunter d/*",
	`curl -d '{"password":"hunter"}' h`, `curl -d 'grant=x&client_secret=hunter&y=z' h`,
	"psql 'host=h password=hunter user=u'", "PIN=482913 tool", "docker run -e MYSQL_ROOT_PASSWORD=hunter mysql",
	"docker build --build-arg NPM_TOKEN=hunter .", "vault token --token=hunter",
	"curl -sSfu bob:hunter h", "curl -XPOST -Lu bob:hunter h", "htpasswd -b f bob hunter", "htpasswd -nb bob hunter",
	"openssl enc -k hunter -in x", "7z a -phunter a.7z f", "gh auth login --with-token <<< hunter",
	"sudo -S <<< hunter true",
	"chpasswd <<< 'bob:hunter'", "useradd -p hunter bob", "usermod -p hunter bob", "cargo login hunter",
	"snyk auth hunter",
	"plink -pw hunter h", "pscp -pw hunter f h:", "net user bob hunter /add", "cmdkey /add:h /user:b /pass:hunter",
	"xfreerdp /u:b /p:hunter /v:h", "sqlplus scott/hunter@orcl",
	"kubectl create secret generic x --from-literal=db=hunter", "ConvertTo-SecureString 'hunter' -AsPlainText -Force",
	"dotnet nuget push a.nupkg --api-key hunter1", "kinit bob@R <<< hunter",
	`New-Object PSCredential("bob", "hunter")`, `echo "::add-mask::hunter"`,
}

// Secrets are removed from the command of a run, and from a log line that shows the command, for example with set -x.
func TestSecretsOfCommandLines(t *testing.T) {
	t.Parallel()
	for _, c := range commands {
		if got := New(Options{Shapes: true}).Command(c); shows(got) {
			t.Errorf("command %q became %q", c, got)
		}
		for _, prompt := range []string{"+ ", "++ ", "$ ", "2026-01-02T03:04:05.6789012Z + ", "#12 3.456 + ", "##[command]",
			"\x1b[36;1m+ ", "RUN "} {
			text := prompt + c + "\nnext line\n"
			want := whole(New(Options{Shapes: true}), text)
			if shows(want) || !strings.HasSuffix(want, "\nnext line\n") {
				t.Errorf("%q became %q", text, want)
			}
			if got := inPieces(New(Options{Shapes: true}), text, rand.New(rand.NewPCG(1, uint64(len(c))))); got != want {
				t.Fatalf("%q became %q, in pieces %q", text, want, got)
			}
		}
	}
}

func shows(text string) bool {
	for _, v := range []string{"hunter", "correcthorse", "482913", "wJalrXUtnFEMI"} {
		if strings.Contains(text, v) && !strings.Contains(text, "aws configure set aws_secret_access_key hunterhunter") {
			return true
		}
	}
	return false
}

// settings are log lines with a secret after its name.
var settings = []string{
	"DB_PASSWORD=hunter", "  DB_PASSWORD: hunter", "PASSWORD=hunter", "password=hunter", "password: hunter2",
	"API_TOKEN=482913", `"password": "hunter"`, `{"token":"abc123","x":1}`, `\"password\":\"hunter\"`,
	"'client_secret': 'hunter2'",
	"//npm.example.com/:_authToken=hunter", "//npm.example.com/:_password=aHVudGVy", "_auth=Ym9iOmh1bnRlcg==",
	"machine github.com login bob password hunter", "machine h\n  login bob\n  password hunter",
	"Authorization: Bearer hunter2", "> Authorization: Basic Ym9iOng=", "spring.datasource.password=hunter",
	"aws_secret_access_key = hunter2hunter2", "secret_key = 'a1b2c3d4e5'", "X-Auth-Token: a1b2c3d4",
	"jdbc:x://h/db?user=u&password=hunter",
	"npm_config_password=hunter", "MYSQL_PWD=hunter", "--password hunter",
	"password1=hunter99", "DB_PASSWORD2=hunter", "ADMIN_TOKEN_3=hunter", "token=48291377482913",
	"< Set-Cookie: session=hunter; Path=/; HttpOnly", "> Cookie: theme=dark; session=hunter", "set-cookie: sid=a1b2c3d4",
	`-H 'Cookie: sid=hunter' https://h`, "using --token a1b2c3d4 for it",
	`{"name":"DB_PASSWORD","value":"hunter"}`, "{\n  \"name\": \"DB_PASSWORD\",\n  \"value\": \"hunter\"\n}",
	"- name: DB_PASSWORD\n  value: hunter", "Name=API_TOKEN,Value=a1b2c3d4",
	"<password>hunter</password>", "<c:password>hunter</c:password>", "<server><token>a1b2c3d4</token></server>",
	"[\"password\"]=>\n  string(7) \"hunter\"", "[password] => hunter", "Config { password: Some(\"hunter\") }",
	"{'password': b'hunter'}", "{User:bob Password:hunter2 Port:5}", "db_password = hunter2", "Password = hunter2",
	"| DB_PASSWORD | hunter2 |", "DB_PASSWORD    hunter2", "│ DB_PASSWORD │ hunter2 │", "password\thunter2",
	"CREATE USER bob WITH PASSWORD 'hunter';", "ALTER USER bob IDENTIFIED BY 'hunter';", "password is 'hunter2'",
	"using password \"hunter2\"", "admin password is hunter2", "error: invalid password \"hunter2\" for user bob",
	"+ setx DB_PASSWORD hunter", "ENV DB_PASSWORD hunter", "+ aws configure set aws_secret_access_key hunter",
	"wss://h/x?auth=hunter2hunter2&y=1", "Passwort: hunter2",
	"~ \"DB_PASSWORD\" = \"hunter1\" -> \"hunter2\"", "Config(user='bob', password='hunter', x=1)",
	`send: b'GET / HTTP/1.1\r\nAuthorization: Basic hunter2\r\n'`, "os.environ['DB_PASSWORD'] = 'hunter'",
	"define('DB_PASSWORD', 'hunter');", `System.setProperty("db.password", "hunter")`, "password: |-\n  hunter2",
	`<entry key="password">hunter</entry>`, "<key>password</key>\n<string>hunter</string>", `mongodb: pwd: "hunter2"`,
	"<name>DB_PASSWORD</name><value>hunter</value>", `<password a="b">hunter</password>`,
	"<Password>\n  hunter\n</Password>",
	`<input type="password" value="hunter">`, "A temporary password is generated for root@localhost: hunter2x",
	"rabbitmqctl add_user bob hunter", "X-Auth-Key: a1b2c3d4", "Authorization: a1b2c3d4",
	"authorization: [Bearer a1b2c3d4]",
	`"cookie":"sid=hunter"`, "api key: a1b2c3d4", "Secret Access Key: a1b2c3d4", `psk="hunter2"`,
	`setPassword("hunter2")`, `x.password("hunter2")`,
	"Content-Disposition: form-data; name=\"password\"\r\n\r\nhunter\r\n--b", "Db = Server=h;Pwd=hunter2;",
	`ok: [h] => {"msg": "password is hunter2"}`, "{'msg': 'The token is a1b2c3d4a1b2'}", "X-Auth: a1b2c3d4",
	"dd-application-key: a1b2c3d4", "DD-APPLICATION-KEY: a1b2c3d4a1b2", `Config { token: Some(Secret("hunter2")) }`,
	"C[user=bob, password=hunter, port=1]", "{password=hunter}", "{user=bob, password=hunter}",
}

// Secrets in settings are redacted, because logs contain settings, too.
func TestSecretsOfSettings(t *testing.T) {
	t.Parallel()
	for _, text := range settings {
		got := whole(New(Options{Shapes: true}), text+"\n")
		for _, v := range []string{"hunter", "482913", "abc123", "a1b2c3d4", "aHVudGVy", "Ym9i"} {
			if strings.Contains(got, v) {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

// ordinary are log lines without secrets.
var ordinary = []string{
	"password: required", "Password: incorrect", "error: token expired", "token: expired", "Unexpected token: }",
	"SyntaxError: Unexpected token 'a', \"abc\" is not valid JSON", "error: expected primary-expression before ')' token",
	"PASSWORD: required", "password = getpass()", "token = next_token(lexer)", "token := p.next()",
	"secret = os.environ['SECRET']", "password=password", "password=self.password,", "key=lambda x: x[1]",
	"sorted(list, key=len)", "api_key=api_key)",
	"tool --password is required", "use --token to authenticate", "  --password string   Password for the registry",
	"      --token <token>  the token", "--password requires a value", "error: unknown option --token",
	"the --api-key option is deprecated",
	"export TOKEN=$GITHUB_TOKEN", "TOKEN=${TOKEN:-}", "PASSWORD=$(cat /run/secrets/pw)", "TOKEN=***", "--token=$TOKEN",
	"--password %s", "-H \"Authorization: Bearer $TOKEN\"", "Authorization: Bearer <token>",
	"docker run -p 8080:80 nginx", "mkdir -p build/out", "cp -pr a b", "mysql -u root -p", "ssh -p 2222 host",
	"curl -u bob https://h", "sort -u file", "grep -w token file.c", "ls -a dir", "git push -u origin main",
	"--token-file=/run/secrets/x", "--password-file /run/pw", "KEY_FILE=/etc/ssl/a.key", "SSH_AUTH_SOCK=/tmp/agent.1",
	"  token_count: 4096", "MAX_TOKENS=200000", "max_tokens=200000", "tokens: 123456",
	"Cache restored from key: Linux-node-1a2b3c4d5e6f", "key: Linux-go-9f8e7d6c", "cache_key=abc123def",
	"auth.go:12:3: undefined: token", "src/password.ts(3,5): error TS2322: Type 'x'", "test_token_expired PASSED",
	"FAIL: TestPassword/token=expired (0.01s)", "tests/auth_test.py::test_password[hunter] PASSED",
	"passed: 12, failed: 3", "12 passed, 3 failed in 1.23s", "bypass=1234567",
	"primary_key=True", "PRIMARY_KEY=id12345", "  foreign_key: user_id1", "partition key: user1234",
	"public_key=abc123def", "author: bob12345", "Author=Jane Doe", "secretary: jane1234", "tokenizer=bert-base-v2",
	"keyboard=us104abc",
	"warning: unused variable: `token`", "expected `String`, found `Token`", "let token: String = x;",
	"fn auth(token: &str) -> bool", "def login(user: str, password: str) -> Token:", "password: &'a str,",
	"const token: Token = {", "private token: string;",
	"echo building | tee log", "echo password", "Enter password: ", "password for bob: ", "PIN_COUNT=1234567", "--pin",
	"error[E0425]: cannot find value `api_key` in this scope", "undefined reference to `token_type'",
	"assert token == 'abc'",
	"https://example.com:8080/a@b", "see https://docs.example.com/auth?x=1", "user@host:path", "PASS src/auth.test.js",
	"tokens=12345678", "  elixir_erl_pass:translate/2", "token.value = `/${value.pattern}/${value.flags}`;",
	"--- PASS: TestAlpha/#00 (0.00s)", "    --- PASS: TestLinks/id3v2#01 (0.00s)", "PASS: lib/a#1",
	"[INFO] Including io.jsonwebtoken:jjwt-api:jar:0.11.2 in the jar.", "Selecting package libsecret-1-0:amd64.",
	"TOKEN_C: 1024", "gen --out-key=docker/server/server.key", "Set-Cookie: is missing", "cookie: not found",
	"expected Cookie: a header", "sha1=abcdef", "key2=value2", "tests/cookie.test.js: 4 passed", "pass: 12", "PASS: 3",
	"Pass=2 Fail=1", "# pass 12", "ok 1 - token=valid",
	`{"name":"password","value":"string"}`, "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:",
	"<token>identifier</token>", "<password></password>", "| token | string | yes |", "| Name | Password |",
	"token    string   the token", "DB_PASSWORD  required",
	"X-Auth: required", "x_auth: true", `{"msg": "password is required"}`, `"password was bcrypt-hashed"`,
	"password is required", "password is too short", "the password is bcrypt hashed", "Field \"password\" is required",
	"\"password\" must be a string", "unused variable \"password\" \"x\"",
	"password was not given", "name: password\nvalues: [1]",
	"password = config.get(\"db.password\")", "pwd=build2", "pwd=/home/u1", "setPassword(newPassword1)",
	"name=\"password\"\n\nhunter was here", "ok  \tgithub.com/x/password\t0.012s", "cargo login --registry x",
	"sqlplus /nolog", "openssl req -new -key k.pem", "metadata:\n  name: x", "error: new password rejected: E1234x",
	"primary key: a1b2c3d4", "the key: a1b2c3d4", "if password == 'x1y2z3' {", "params[\"password\"] == value1",
	"vtkCameraPass: [\"dict: d['_camera_pass1']\"]", "RenderPass = shadow2x", "LoopUnrollPass: unroll12x",
	"secrets:\n  token: ${{ secrets.X }}", "x-secrets:\n  uses: a/b/.github/w1.yml@main",
	"pytest -u -p no:cache1 x", "docker run -u bob -p 8080:80x1 nginx", "journalctl -u nginx -p warning2",
	"http://localhost:4873/@scope/pkg1", "see https://host:port/a@v1.2", "Bearer realm=example.com", "mkdir -p build2x",
	"identified by its ID123", "PASS src/auth2.test.js", "auth: src/a1.go:12", "COMPASS=north12",
	"<td>password</td><td>required</td>", "| **token** | string |", "INSERT INTO u (name, password) VALUES (?, ?)",
	"Key (id)=(a1b2c3d4) already exists", "Key (token)=(none) is missing", `["docker", "run", "-p", "8080x1:80"]`,
	`["mysql", "-u", "bob1x2y3", "-p", "a1b2c3d4"]`, "check of password ..... 0.123s", `password: str = "password"`,
	`USE_PAT = r"\\s*use(\\w+)1"`, "fields = ['old_password', 'new_password1', 'name']", "Secrets []*Secret1{}",
	`"token-secret": []byte("abcdef"),`, `{"value":"abc123de","name":"build"}`, "Contraseña: requerida", "密码：错误",
	"variable \"db_password\" {\n  type = string\n}\nvariable \"x\" {\n  default = \"a1b2c3d4\"\n}",
	"args:\n  - --token\n  - --x1y2z3", `select * from u where token = $1 -- [null]`,
	"Map(name -> password, a -> b1c2d3e4)",
	"- name: DB_USER\n  value: a1b2c3d4\n- name: DB_PASSWORD\n",
	"<password>${db.password}</password>", "<token/>", "password: |\n", "[password] => ", "com.example:password-lib:1.2.3",
}

func TestOrdinaryLinesStay(t *testing.T) {
	t.Parallel()
	for _, text := range ordinary {
		if got := whole(New(Options{Shapes: true}), text+"\n"); got != text+"\n" {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestElementsKeepTheEndsOfTheirLines(t *testing.T) {
	t.Parallel()
	want := "<password>" + Mask + "\r\n"
	if got := whole(New(Options{Shapes: true}), "<password>hunter2x\r\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A value is also redacted on a line below its name, and in JSON that marks it as sensitive.
func TestValuesBehindOtherLines(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	output := func(sensitive, gap, value string) string {
		return "{" + gap + `"sensitive": ` + sensitive + "," + gap + `"type": "string",` + gap + `"value": "` + value +
			`"` + gap + "}\n"
	}
	for text, want := range map[string]string{
		"+ login --password \\\n    BtfphFkhhZGBEc\n":        "+ login --password \\\n    ***\n",
		"+ login --password \\\r\n  hunter2x --user bob\r\n": "+ login --password \\\r\n  *** --user bob\r\n",
		output("true", "\n    ", "ab cd"):                    output("true", "\n    ", "***"),
		output("true", "", "abcd"):                           output("true", "", "***"),
		output("false", "", "abcd"):                          output("false", "", "abcd"),
		"Password: oGtBHmgttQpxMz\n":                         "Password: ***\n",
		"A temporary password is generated for root@localhost: oGtBHmgttQpxMz\n": "A temporary password is " +
			"generated for root@localhost: ***\n",
	} {
		if got := whole(red, text); got != want {
			t.Errorf("%q became %q", text, got)
		}
		if got := inLines(red, text); got != want {
			t.Errorf("line by line, %q became %q", text, got)
		}
	}
}

func TestLateWaysToWriteANamedSecret(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	for _, text := range []string{
		"CalledProcessError: Command '['gh', 'auth', '--token', 'hQ7xWq2mZ3xyz']' returned non-zero exit status 1.\n",
		`  "args": ["--db-password", "hQ7xWq2mZ3xyz"],` + "\n",
		"spawnargs: [ 'publish', '--api-key', 'hQ7xWq2mZ3xyz' ]\n",
		`argv: ["cargo", "publish", "--token", "hQ7xWq2mZ3xyz"]` + "\n",
		`{"password": "Tr0ub4\"dor3xyz", "x": 1}` + "\n",
		`DB_PASSWORD="Tr0ub4\"dor3xyz"` + "\n",
		"<password><![CDATA[hQ7xWq2mZ3xyz]]></password>\n",
	} {
		if got := whole(red, text); strings.Contains(got, "3xyz") {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{`{"password": "", "note": "a \"quoted\" word"}` + "\n",
		"options are ['--token', '--password', '--verbose']\n", "help: ('--token', 'string')\n"} {
		if got := whole(red, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
