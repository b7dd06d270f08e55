package parse

import "testing"

func TestEnvelopes(t *testing.T) {
	for raw, want := range map[string]enveloped{
		"plain":                     {text: []byte("plain")},
		"\x1b[31;1merror\x1b[0m: x": {text: []byte("error: x")},
		"2026-08-17T13:15:44.0830000Z ##[error]no":          {text: []byte("no"), level: "error"},
		"2026-08-17T13:15:44Z \x1b[36;1mmake\x1b[0m":        {text: []byte("make")},
		"build\tRun make\t2026-08-17T13:15:44.0830000Z x.c": {text: []byte("x.c")},
		"2026-08-17T13:15:44.083000Z 00O hello":             {text: []byte("hello")},
		"[2026-08-17T13:15:44.083Z] + make":                 {text: []byte("+ make")},
		"[13:15:44] a.c:1: error":                           {text: []byte("a.c:1: error")},
		"[13:15:44]: ▸ a.m:1: error":                        {text: []byte("a.m:1: error")},
		"13:15:44  + make":                                  {text: []byte("+ make")},
		"1:15:44 PM: hugo":                                  {text: []byte("hugo")},
		"12:15:44 AM: hugo":                                 {text: []byte("hugo")},
		"12:15:44 AM hugo":                                  {text: []byte("12:15:44 AM hugo")},
		"13:15:44 one blank":                                {text: []byte("13:15:44 one blank")},
		"[13:15:44] Starting 'build'...":                    {text: []byte("[13:15:44] Starting 'build'...")},
		"#12 3.456 cc -c a.c":                               {text: []byte("cc -c a.c"), lane: "#12"},
		"#12 ERROR: no":                                     {text: []byte("ERROR: no"), lane: "#12"},
		"web-1  | ready":                                    {text: []byte("ready"), lane: "web-1"},
		"    [javac] a.java:1: error":                       {text: []byte("a.java:1: error")},
		"a | b | c":                                         {text: []byte("a | b | c")},
		"# 12 items":                                        {text: []byte("# 12 items")},
		"2026-08-17 13:15:44 no envelope":                   {text: []byte("2026-08-17 13:15:44 no envelope")},
		"ab\bc":                                             {text: []byte("ac")},
		"\x1b]0;title\aafter":                               {text: []byte("after")},
	} {
		var e envelope
		got := e.strip(stripEscapes(nil, []byte(raw)))
		if string(got.text) != string(want.text) || got.lane != want.lane || got.level != want.level {
			t.Errorf("%q: %q, lane %q, level %q; want %q, %q, %q", raw, got.text, got.lane, got.level, want.text, want.lane,
				want.level)
		}
	}
}

// A time of day on each line belongs to the log. A time of day on a few lines belongs to the program's output.
func TestClockOnEachLine(t *testing.T) {
	var e envelope
	for range clocked {
		if got := string(e.strip([]byte("13:15:44 make")).text); got != "13:15:44 make" {
			t.Errorf("%q too early", got)
		}
	}
	if got := string(e.strip([]byte("13:15:45 a.c:1: error")).text); got != "a.c:1: error" {
		t.Errorf("after %d lines: %q", clocked, got)
	}
	if got := string(e.strip([]byte("13:15:45")).text); got != "" {
		t.Errorf("an empty line: %q", got)
	}
	e.strip([]byte("no time here"))
	if got := string(e.strip([]byte("13:15:46 make")).text); got != "13:15:46 make" {
		t.Errorf("after a line without a time: %q", got)
	}
}

// Nix puts the name of a derivation before each line of the output, or shows the last lines below its error.
func TestNixLogs(t *testing.T) {
	const name = "'/nix/store/91sczm632zyjyxzn06dqfmqnmq659q8f-shop-1.0.drv'"
	for _, tt := range []struct{ before, raw, lane, want string }{
		{"", "shop> a.c:2:12: error: x", "", "shop> a.c:2:12: error: x"},
		{"building " + name + "...", "shop> a.c:2:12: error: x", "shop>", "a.c:2:12: error: x"},
		{"building " + name + "...", "shop>     2 |     return x;", "shop>", "    2 |     return x;"},
		{"building " + name + "...", "a shop> x", "", "a shop> x"},
		{"building " + name + "...", "shop->total", "", "shop->total"},
		{"building " + name + "...", ">>> import a", "", ">>> import a"},
		{"error: builder for " + name + " failed with exit code 1;", "       > make: *** x", nixLane, "make: *** x"},
		{"error: Cannot build " + name + ".", "       > make: *** x", nixLane, "make: *** x"},
		{"builder for " + name + " failed with exit code 1; last 10 log lines:", "  a.c:2: x", nixLane, "a.c:2: x"},
		{"error: builder for " + name + " failed with exit code 1;", "  a.c:2: x", "", "  a.c:2: x"},
		{"• Packages in scope: a, b", "building " + name + "...", "", "building " + name + "..."},
	} {
		var e envelope
		e.strip([]byte(tt.before))
		if got := e.strip([]byte(tt.raw)); got.lane != tt.lane || string(got.text) != tt.want {
			t.Errorf("%q: %q in lane %q, want %q in lane %q", tt.raw, got.text, got.lane, tt.want, tt.lane)
		}
	}
}
