package redact

import "testing"

// changes redacts each text, at once and byte by byte, and compares the results with the wanted text. An empty wanted
// text means that nothing changes.
func changes(t *testing.T, texts map[string]string) {
	t.Helper()
	red := New(Options{Shapes: true})
	for text, want := range texts {
		if want == "" {
			want = text
		}
		for _, got := range []string{whole(red, text+"\n"), byBytes(red, text+"\n")} {
			if got != want+"\n" {
				t.Errorf("%s became %swant %s", text, got, want)
			}
		}
	}
}

// A password in a connection string may be a word, or look like a name.
func TestPasswordsInConnectionStrings(t *testing.T) {
	t.Parallel()
	changes(t, map[string]string{
		"Server=db;User Id=sa;Password=Correct.Horse7;Encrypt=true":   "Server=db;User Id=sa;Password=***;Encrypt=true",
		"Data Source=db;Initial Catalog=a;Pwd=Correct.Horse7;":        "Data Source=db;Initial Catalog=a;Pwd=***;",
		"Driver={ODBC Driver 18};Server=db;UID=sa;PWD=Correct.Horse7": "Driver={ODBC Driver 18};Server=db;UID=sa;PWD=***",
		"jdbc:sqlserver://db:1433;databaseName=a;user=sa;password=correcthorse": "jdbc:sqlserver://db:1433;" +
			"databaseName=a;user=sa;password=***",
		"Password=Correct.Horse7;Server=db;Database=app": "Password=***;Server=db;Database=app",
		`"Server=tcp:db;User ID = sa; Password = correct.horse; Encrypt = True;"`: `"Server=tcp:db;User ID = sa; ` +
			`Password = ***; Encrypt = True;"`,
		"host=db port=5432 user=bob password=correcthorse dbname=app": "host=db port=5432 user=bob password=*** dbname=app",
		`dial("host=db user=bob password=correct.horse dbname=app")`:  `dial("host=db user=bob password=*** dbname=app")`,

		"host=db user=bob: password authentication failed": "",
		"login user=bob password=required":                 "",
		"host=%s user=%s password=%s dbname=%s":            "",
		"host=HOST user=USER password=PASSWORD":            "",
		"Server={0};User Id={1};Password={2};":             "",
		"user=bob; password=; host=x":                      "",
	})
}

func TestPasswordsInPartsOfAString(t *testing.T) {
	t.Parallel()
	changes(t, map[string]string{
		`TOKEN="a7Kd9""b2Xq8"`:          `TOKEN="***"`,
		`DB_PASSWORD="correct"'horse7'`: `DB_PASSWORD="***'`,
		`password: 'cor''recthorse7'`:   `password: '***'`,
		`TOKEN='abc'"d7fh9k2m"'xyz1' x`: `TOKEN='***' x`,

		`assert token == "a""b"`:            "",
		`password = ""`:                     "",
		`"password","""quoted"""`:           "",
		`const token = "" + "b"`:            "",
		`INSERT INTO t (name) VALUES ('a')`: "",
	})
}

func TestPasswordsOfUnusualURLs(t *testing.T) {
	t.Parallel()
	changes(t, map[string]string{
		"https://ann@corp.com:correcthorse@dev.azure.com/a": "https://ann@corp.com:***@dev.azure.com/a",
		"postgresql://bob:correct#horse@db/app":             "postgresql://bob:***@db/app",
		"svn --username bob --password correcthorse co x":   "svn --username bob --password *** co x",

		"https://bob@host:8080/x@y":                   "",
		"https://bob@host:8080 x@y":                   "",
		"http://localhost:3000#a@b":                   "",
		"http://host:port/a#b@c":                      "",
		"svn --username USER --password PASSWORD co":  "",
		"use --username and --password options, both": "",
	})
}
