package query_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestAnOutputSaysWhatDidNotFit(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for _, tt := range []struct {
		p        query.OutputParams
		want     string
		from, to int // missing lines
	}{
		{query.OutputParams{Head: 2}, "out 1\nout 2\n", 0, 0},
		{query.OutputParams{From: 59}, "out 59\nout 60\n", 0, 0},
		{query.OutputParams{From: 3, To: 4}, "out 3\nout 4\n", 0, 0},
		{query.OutputParams{MaxBytes: 14}, "out 1\nout 2\n", 3, 60},
		{query.OutputParams{MaxBytes: 13}, "out 1\n", 2, 60},
		{query.OutputParams{From: 1, To: 5, MaxBytes: 14}, "out 1\nout 2\n", 3, 5},
		{query.OutputParams{Head: 5, MaxBytes: 14}, "out 1\nout 2\n", 3, 5},
		{query.OutputParams{From: 1, To: 99, MaxBytes: 14}, "out 1\nout 2\n", 3, 60},
		{query.OutputParams{Tail: 2}, "out 59\nout 60\n", 0, 0},
		{query.OutputParams{Tail: 5, MaxBytes: 16}, "out 59\nout 60\n", 56, 58},
		{query.OutputParams{Tail: 5, MaxBytes: 15}, "out 60\n", 56, 59},
		{query.OutputParams{Tail: 99, MaxBytes: 16}, "out 59\nout 60\n", 1, 58},
		{query.OutputParams{Tail: 2, MaxBytes: 16}, "out 59\nout 60\n", 0, 0},
		{query.OutputParams{Grep: "out 1?2$"}, "out 2\nout 12\n", 0, 0},
		{query.OutputParams{Grep: "out 12", Numbered: true}, "12: out 12\n", 0, 0},
		{query.OutputParams{Grep: "out 12", Numbered: true, Context: 1}, "11- out 11\n12: out 12\n13- out 13\n", 0, 0},
		{query.OutputParams{Grep: "out 1?2$", Context: 1}, "out 1\nout 2\nout 3\n--\nout 11\nout 12\nout 13\n", 0, 0},
		{query.OutputParams{Grep: "out [24]$", Context: 1}, "out 1\nout 2\nout 3\nout 4\nout 5\n", 0, 0},
		{query.OutputParams{Grep: "out [24]$"}, "out 2\nout 4\n", 0, 0},
		{query.OutputParams{Grep: "out", Tail: 1}, "out 60\n", 0, 0},
		{query.OutputParams{Grep: "out 2$", Context: 2, From: 4, Last: 3}, "out 4\n", 0, 0}, // the next part
		{query.OutputParams{Grep: "out 2$", Context: 2, From: 4}, "", 0, 0},
		{query.OutputParams{Grep: "out", Tail: 2, Head: 0}, "out 59\nout 60\n", 0, 0},
		{query.OutputParams{Grep: "out 1$", From: 1, To: 9, MaxBytes: 99}, "out 1\n", 0, 0},
		{query.OutputParams{From: 2, Head: 1}, strings.TrimPrefix(querytest.Lines("out", 60), "out 1\n"), 0, 0},
		{query.OutputParams{Unread: true}, "", 0, 0},
		{query.OutputParams{From: 58, Tail: 1}, "out 58\nout 59\nout 60\n", 0, 0},
	} {
		tt.p.Ref, tt.p.Stream = "4", "stdout"
		got, err := f.Output(t.Context(), tt.p)
		if err != nil || got.Content != tt.want || got.RestFrom != tt.from || got.RestTo != tt.to || got.CutLine != 0 ||
			got.Total != 60 || got.Returned != strings.Count(tt.want, "\n")-strings.Count(tt.want, "--\n") {
			t.Errorf("%+v: %q, %d lines, %d-%d are left, %v", tt.p, got.Content, got.Returned, got.RestFrom, got.RestTo, err)
		}
	}
	f.Add(t, querytest.Run{Source: "long", At: 40, Log: strings.Repeat("x", 100) + "\nend\n"})
	got, err := f.Output(t.Context(), query.OutputParams{Ref: "long", MaxBytes: 50})
	if err != nil || got.CutLine != 1 || got.Returned != 1 || !strings.HasSuffix(got.Content, "(line cut)\n") ||
		got.RestFrom != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := f.Output(t.Context(), query.OutputParams{Ref: "4", Stream: "stdout", Grep: "["}); store.CodeOf(err) !=
		store.Invalid {
		t.Errorf("a wrong pattern: %v", err)
	}
}

func TestFollowGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	parts := []query.Growth{
		{Attempt: "a", Text: "1\n", Next: map[string]int{"combined": 2}, To: 9, More: true, Running: true},
		{Attempt: "a", Text: "2\n", Next: map[string]int{"combined": 3}, To: 9, Running: true},
		{Attempt: "a", Text: "3\n", Next: map[string]int{"combined": 4}},
	}
	var asked []query.GrowthParams
	growth := func(_ context.Context, p query.GrowthParams) (query.Growth, error) {
		asked = append(asked, p)
		return parts[len(asked)-1], nil
	}
	var got strings.Builder
	if err := query.Follow(t.Context(), growth, query.OutputParams{Ref: "build", Tail: 5}, &got); err != nil ||
		got.String() != "1\n2\n3\n" || len(asked) != 3 {
		t.Fatalf("%q, %v, asked %+v", got.String(), err, asked)
	}
	if asked[0].Ref != "build" || asked[0].Tail != 5 || asked[0].Next != nil {
		t.Errorf("first %+v", asked[0])
	}
	if p := asked[2]; p.Ref != "a" || p.Next["combined"] != 3 || p.To != 9 {
		t.Errorf("last %+v", p)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := query.Follow(ctx, func(context.Context, query.GrowthParams) (query.Growth, error) {
		cancel()
		return query.Growth{Running: true}, nil
	}, query.OutputParams{}, &got)
	if err != nil {
		t.Errorf("a reader who goes away: %v", err)
	}
	broken := errors.New("broken")
	if err := query.Follow(t.Context(), func(context.Context, query.GrowthParams) (query.Growth, error) {
		return query.Growth{}, broken
	}, query.OutputParams{}, &got); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// Growth returns a line without a line end only after the run has ended.
func TestGrowthHoldsBackAnOpenLine(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "on", At: 1, Running: true, Log: "one\ntwo"})
	f.Add(t, querytest.Run{Source: "off", At: 2, Log: "one\ntwo"})
	for ref, want := range map[string]string{"on": "one\n", "off": "one\ntwo\n"} {
		g, err := f.Growth(t.Context(), query.GrowthParams{Ref: ref})
		if err != nil || g.Text != want || g.Running != (ref == "on") || g.More {
			t.Errorf("%s: %+v, %v", ref, g, err)
		}
	}
	var all strings.Builder
	querytest.Check(t, f.WriteOutput(t.Context(), query.OutputParams{Ref: "on"}, &all))
	if all.String() != "one\ntwo\n" {
		t.Errorf("so far: %q", all.String())
	}
	big := strings.Repeat(strings.Repeat("x", 999)+"\n", 1100)
	f.Add(t, querytest.Run{Source: "big", At: 3, Log: big})
	g, err := f.Growth(t.Context(), query.GrowthParams{Ref: "big"})
	if err != nil || !g.More || len(g.Text) < 1<<20 || len(g.Text) > 1<<20+1000 {
		t.Fatalf("%d bytes, more %v, %v", len(g.Text), g.More, err)
	}
	rest, err := f.Growth(t.Context(), query.GrowthParams{Ref: g.Attempt, Next: g.Next})
	if err != nil || rest.More || g.Text+rest.Text != big {
		t.Errorf("%d bytes, more %v, %v", len(rest.Text), rest.More, err)
	}
}

// The beginning and the end share the room, and the middle is left out.
func TestBothEndsOfALogShareTheRoom(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	mark := len(query.LeftOut(60, 60))
	for _, tt := range []struct {
		head, tail, room int // room without the mark
		want             string
		from, to         int // lines that did not fit
	}{
		{2, 2, 0, "1 2 … 3-58 59 60", 0, 0},
		{2, 2, 30, "1 2 … 3-58 59 60", 0, 0},
		{2, 2, 29, "1 2 … 3-59 60", 3, 59}, // out 1 has 7 bytes of JSON, out 60 has 8
		{5, 5, 30, "1 2 … 3-58 59 60", 3, 58},
		{5, 1, 30, "1 2 … 3-59 60", 3, 59},
		{1, 5, 31, "1 … 2-57 58 59 60", 2, 57},
		{30, 30, 0, querytest.Lines("", 60), 0, 0},
	} {
		p := query.OutputParams{Ref: "4", Stream: "stdout", Head: tt.head, Tail: tt.tail}
		if tt.room > 0 {
			p.MaxBytes = mark + tt.room
		}
		got, err := f.Output(t.Context(), p)
		querytest.Check(t, err)
		plain := strings.NewReplacer("out ", "", "… lines ", "… ", " are left … ", " ", " are left out …", "")
		short := plain.Replace(got.Content)
		if strings.Join(strings.Fields(short), " ") != strings.Join(strings.Fields(tt.want), " ") ||
			got.RestFrom != tt.from || got.RestTo != tt.to || got.Returned != len(strings.Fields(tt.want))-
			2*strings.Count(tt.want, "…") {
			t.Errorf("%+v: %d lines, %d-%d are left out:\n%s", tt, got.Returned, got.RestFrom, got.RestTo, got.Content)
		}
	}
	long := strings.Repeat("x", 200)
	f.Add(t, querytest.Run{Source: "long", At: 40, Log: long + "\nmiddle\n" + long + "\n"})
	got, err := f.Output(t.Context(), query.OutputParams{Ref: "long", Head: 1, Tail: 1, MaxBytes: 150})
	if err != nil || got.CutLine != 1 || got.RestFrom != 0 || got.Returned != 2 || len(got.Content) > 150 {
		t.Errorf("%+v, %v", got, err)
	}
}

// The URL of lines names their stream.
func TestTheAddressOfLinesNamesTheirStream(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	f.Asker.Page = func(r store.Ref, stream string) string {
		return fmt.Sprintf("https://x/%s?stream=%s&line=%d#L%d", r.Run(), stream, r.From, r.From)
	}
	for _, tt := range []struct {
		p    query.OutputParams
		want string
	}{
		{query.OutputParams{Ref: "test:4", Stream: "stderr", Tail: 1}, "https://x/test:4?stream=stderr&line=2#L2"},
		{query.OutputParams{Ref: "test:4", Stream: "stdout", From: 7, To: 9}, "https://x/test:4?stream=stdout&line=7#L7"},
		{query.OutputParams{Ref: "build:3", From: 7, To: 9}, "https://x/build:3?stream=combined&line=7#L7"},
	} {
		if got, err := f.Output(t.Context(), tt.p); err != nil || got.URL != tt.want {
			t.Errorf("%+v: %s, %v", tt.p, got.URL, err)
		}
	}
}
