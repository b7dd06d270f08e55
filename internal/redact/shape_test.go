package redact

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// example returns a random text that matches a pattern.
func example(r *rand.Rand, re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(example(r, sub))
		}
		return b.String()
	case syntax.OpCapture:
		return example(r, re.Sub[0])
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		var all []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for c := max(re.Rune[i], ' '); c <= min(re.Rune[i+1], '~'); c++ {
				all = append(all, c)
			}
		}
		return string(all[r.IntN(len(all))])
	case syntax.OpQuest:
		return strings.Repeat(example(r, re.Sub[0]), r.IntN(2))
	case syntax.OpRepeat:
		var b strings.Builder
		for range re.Min + r.IntN(max(1, min(re.Max, re.Min+20)-re.Min+1)) {
			b.WriteString(example(r, re.Sub[0]))
		}
		return b.String()
	}
	return "" // an assertion such as \b
}

// Each shape finds the same texts as its pattern does as a regular expression.
func TestShapesAreTheirPatterns(t *testing.T) {
	t.Parallel()
	for _, s := range slices.Concat(shapes, boundedTokens) {
		r := rand.New(rand.NewPCG(5, uint64(len(s.name))))
		parsed, err := syntax.Parse(s.pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		re, shape := regexp.MustCompile(`^(?:`+s.pattern+`)`), compileShape(s.name, s.pattern)
		for range 50 {
			text := example(r, parsed) + "\n"
			loc := re.FindStringSubmatchIndex(text)
			if loc == nil {
				t.Fatalf("%s: %q is no match of its own pattern", s.name, text)
			}
			m := shape.match([]byte(text), ' ', true)
			if from, to := loc[len(loc)-2], loc[len(loc)-1]; !m.ok || m.from != from || m.to != to {
				t.Errorf("%s: of %q it takes %+v, want %d to %d", s.name, text, m, from, to)
			}
			red := New(Options{Shapes: true})
			if got := whole(red, "a "+text); !strings.Contains(got, Mask) ||
				strings.Contains(got, text[loc[len(loc)-2]:loc[len(loc)-1]]) {
				t.Errorf("%s: %q became %q", s.name, text, got)
			}
			broken := []byte(text)
			broken[r.IntN(len(text)-1)] = '\x01'
			if m, want := shape.match(broken, ' ', true), re.Match(broken); m.ok != want {
				t.Errorf("%s: of %q it says %v, want %v", s.name, broken, m.ok, want)
			}
		}
	}
}

// Tokens of newer services are removed.
func TestTokensOfNewerServices(t *testing.T) {
	t.Parallel()
	red, x := New(Options{Shapes: true}), strings.Repeat("0a7b", 20)
	for _, token := range []string{"sk-or-v1-" + x[:64], "xai-" + x, "nvapi-" + x[:64], "lsv2_pt_" + x[:32] + "_" + x[:10],
		"pcsk_" + x[:6] + "_" + x[:63], "jina_" + x[:60], "e2b_" + x[:40], "ATCTT3xFfGN0" + x + x, "bkua_" + x[:40],
		"CCIPAT_" + x[:22] + "_" + x[:40], "CCIPRJ_" + x[:22] + "_" + x[:40], "dp.st.dev." + x[:43], "figd_" + x[:40],
		"nfp_" + x[:36], "ory_pat_" + x[:32], "phx_" + x[:43], "sqp_" + x[:40], "squ_" + x[:40], "apify_api_" + x[:36],
		"pat-na1-" + x[:8] + "-0a7b-0a7b-0a7b-" + x[:12], "sb_secret_" + x[:31], "tskey-auth-k" + x[:11] + "CNTRL-" + x[:32],
		"napi_" + x[:64], "rnd_" + x[:28], "tvly-dev-" + x[:32], "fw_" + x[:24], "re_" + x[:8] + "_" + x[:24],
		"1//0" + x[:50], "A3-0A7B0A-0A7B0A-0A7B0-A7B0A-7B0A7", "st." + x[:24] + "." + x[:32] + "." + x[:32],
		"access_token$production$" + x[:16] + "$" + x[:32], "EAAAE" + x[:59], "cfut_" + x[:40],
		"depot_project_" + x[:64], "tr_prod_" + x[:24], "tfp_" + x[:44], "ak-" + x[:22], "as-" + x[:22],
		"secret_" + x[:43], "0.0a7b0a7b-0a7b-4a7b-0a7b-0a7b0a7b0a7b." + x[:30] + ":" + x[:24],
		"AAF" + x[:32], "vercel_blob_rw_" + x[:16] + "_" + x[:30]} {
		text := "uploading with " + token + " now\n"
		if strings.HasPrefix(token, "AA") {
			text = "uploading with 7751473794:" + token + " now\n"
		}
		if got := whole(red, text); strings.Contains(got, token[len(token)-20:]) {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestTokensInThePlaceOfUsers(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	for _, text := range []string{"https://a1b2c3d4e5f6a7b8@github.com/o/r", "git+https://a1b2c3d4e5f6a7b8@h/x"} {
		if got := whole(red, text+"\n"); strings.Contains(got, "a1b2c3d4e5f6a7b8") {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{"https://continuous-integration@h/x", "ssh://deploy@h",
		"docker://alpine@sha256:0123456789abcdef0123"} {
		if got := whole(red, text+"\n"); got != text+"\n" {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestShapesBeginAtWords(t *testing.T) {
	t.Parallel()
	red := New(Options{Shapes: true})
	for _, text := range []string{"taskAKIAABCDEFGHIJKLMNOP\n", "AKIAABCDEFGHIJKLMNOPQRST\n",
		"risk-proj-" + strings.Repeat("a", 50) + "\n", "https://host:8080/a@b\n", "a ghp_short\n"} {
		if got := whole(red, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Documentation is full of examples. So only known values, and tokens with a unique form, are removed from it.
func TestDocumentsKeepExamples(t *testing.T) {
	t.Parallel()
	red := New(Options{Values: []string{"s3cret-of-env", "hunter"}, Shapes: true}).ForDocuments()
	for text, want := range map[string]string{
		"password: hunter2-example\nhunter\n":                                "password: hunter2-example\nhunter\n",
		"postgres://blq:s3cr3tpw@db/blq\n":                                   "postgres://blq:s3cr3tpw@db/blq\n",
		"curl -u bob:s3cr3tpw -H 'Authorization: Bearer abcdef1234567890'\n": "curl -u bob:s3cr3tpw -H 'Authorization: Bearer abcdef1234567890'\n",
		"is s3cret-of-env\n":                                                 "is *************\n",
		"glpat-0123456789abcdefghij!\n":                                      "**************************!\n",
		"echo ::add-mask::abcdef; echo abcdef\n":                             "echo ::add-mask::abcdef; echo abcdef\n",
	} {
		if got := string(red.Blank([]byte(text))); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := (*Redactor)(nil).ForDocuments().Blank([]byte("x")); string(got) != "x" {
		t.Errorf("without a redactor: %q", got)
	}
}
