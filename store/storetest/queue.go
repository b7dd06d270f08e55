package storetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// Queue runs the contract tests of a store that implements store.Queue.
func Queue(t *testing.T, open func(t *testing.T) store.Store) { run(t, open, "queue", queueTests) }

func (f fixture) queue() store.Queue { return f.s.(store.Queue) }

// put adds jobs with these keys, due at the start.
func (f fixture) put(keys ...string) int {
	f.Helper()
	var jobs []store.Work
	for _, k := range keys {
		jobs = append(jobs, store.Work{Key: k, Kind: "log", Repo: "o/n", Body: []byte(k)})
	}
	n, err := f.queue().PutWork(f.Context(), start, jobs...)
	f.ok(err)
	return n
}

// claim claims jobs for a minute, at a time after the start.
func (f fixture) claim(holder string, n int, after time.Duration) []store.Work {
	f.Helper()
	at := start.Add(after)
	list, err := f.queue().ClaimWork(f.Context(), holder, n, at, at.Add(time.Minute))
	f.ok(err)
	return list
}

func (f fixture) one(holder string, after time.Duration) store.Work {
	f.Helper()
	list := f.claim(holder, 1, after)
	if len(list) != 1 {
		f.Fatalf("%s has %d jobs, want one", holder, len(list))
	}
	return list[0]
}

// states returns the keys and states of all jobs, newest first.
func (f fixture) states() (list []string) {
	f.Helper()
	all, err := f.queue().Works(f.Context(), store.WorkFilter{})
	f.ok(err)
	for _, w := range all {
		list = append(list, fmt.Sprintf("%s %s %d", w.Key, w.State, w.Tries))
	}
	return list
}

var queueTests = map[string]func(f fixture){
	"a key is added once, also after it is done": func(f fixture) {
		f.equal(f.put("a", "b"), 2)
		f.equal(f.put("a", "c"), 1)
		w := f.one("r1", 0)
		f.equal(string(w.Body), "a")
		f.ok(f.queue().EndWork(f.Context(), w, start))
		f.equal(f.put("a"), 0)
		f.equal(f.states(), []string{"c open 0", "b open 0", "a done 1"})
		done, err := f.queue().Work(f.Context(), w.ID)
		f.ok(err)
		if len(done.Body) > 0 || !done.EndedAt.Equal(start) || !done.DueAt.IsZero() {
			f.Errorf("%+v", done)
		}
	},
	"a job is leased to one, until the lease ends": func(f fixture) {
		f.put("a")
		first := f.one("r1", 0)
		f.equal(len(f.claim("r2", 5, 59*time.Second)), 0)
		second := f.one("r2", time.Minute)
		f.equal(second.Tries, 2)
		f.refused(f.queue().EndWork(f.Context(), first, start, store.Work{Key: "then", Kind: "log"}), store.Conflict)
		f.refused(f.queue().DelayWork(f.Context(), first, start, "x"), store.Conflict)
		f.refused(f.queue().BuryWork(f.Context(), first, start, "x"), store.Conflict)
		f.ok(f.queue().HoldWork(f.Context(), "r2", start.Add(time.Hour)))
		f.equal(len(f.claim("r3", 5, 59*time.Minute)), 0)
		f.ok(f.queue().EndWork(f.Context(), second, start, store.Work{Key: "then", Kind: "log"}))
		f.equal(f.states(), []string{"then open 0", "a done 2"})
	},
	"a lease from before the clock was set back ends": func(f fixture) {
		f.put("a")
		f.put("b")
		f.equal(len(f.claim("dead", 1, 48*time.Hour)), 1)
		f.equal(len(f.claim("alive", 1, 0)), 1)
		f.ok(f.queue().HoldWork(f.Context(), "other", start.Add(30*time.Second)))
		f.equal(len(f.claim("other", 5, 29*time.Second)), 0)
		f.equal(len(f.claim("other", 5, 30*time.Second)), 1) // the lease of the dead holder
	},
	"a job waits until it is due": func(f fixture) {
		_, err := f.queue().PutWork(f.Context(), start,
			store.Work{Key: "later", Kind: "log", DueAt: start.Add(time.Hour)}, store.Work{Key: "now", Kind: "log"})
		f.ok(err)
		w := f.one("r1", 0)
		f.equal(w.Key, "now")
		f.ok(f.queue().DelayWork(f.Context(), w, start.Add(2*time.Hour), "busy \x00 \xff"))
		second := f.one("r1", time.Hour)
		f.equal(second.Key, "later")
		f.ok(f.queue().EndWork(f.Context(), second, start))
		again := f.one("r1", 2*time.Hour)
		f.equal([]any{again.Key, again.Tries, again.Error}, []any{"now", 2, "busy \x00 \xff"})
	},
	"a job that failed waits as long as it has to, also when it is put again": func(f fixture) {
		put := func() {
			_, err := f.queue().PutWork(f.Context(), start, store.Work{Key: "comment", Kind: "comment", Wakes: true})
			f.ok(err)
		}
		put()
		f.ok(f.queue().DelayWork(f.Context(), f.one("r1", 0), start.Add(time.Hour), "too many requests"))
		put()
		f.equal(len(f.claim("r1", 5, 59*time.Minute)), 0)
		f.equal(len(f.claim("r1", 5, time.Hour)), 1)
	},
	"a job that wakes goes on after what goes on": func(f fixture) {
		put := func(body string, after time.Duration) int {
			n, err := f.queue().PutWork(f.Context(), start, store.Work{Key: "comment", Kind: "comment", Wakes: true,
				Body: []byte(body), DueAt: start.Add(after)})
			f.ok(err)
			return n
		}
		f.equal([]int{put("1", time.Minute), put("2", time.Second), put("3", time.Hour)}, []int{1, 0, 0})
		w := f.one("r1", time.Second)
		f.equal(string(w.Body), "3")
		put("4", 0)
		f.equal(len(f.claim("r2", 5, 30*time.Second)), 0)
		f.ok(f.queue().EndWork(f.Context(), w, start.Add(time.Second)))
		f.equal(f.states(), []string{"comment open 0"})
		w = f.one("r2", 2*time.Second)
		f.equal(string(w.Body), "4")
		f.ok(f.queue().EndWork(f.Context(), w, start))
		f.equal(f.states(), []string{"comment done 1"})
		put("5", 0)
		f.ok(f.queue().BuryWork(f.Context(), f.one("r1", time.Hour), start, "gone"))
		put("6", 0)
		f.equal(string(f.one("r1", time.Hour).Body), "6")
	},
	"owners share the workers of a holder": func(f fixture) {
		for _, jobs := range []struct {
			repo string
			n    int
		}{{"Greedy/app", 20}, {"greedy/Other", 20}, {"quiet/app", 3}, {"", 1}} {
			for i := range jobs.n {
				_, err := f.queue().PutWork(f.Context(), start,
					store.Work{Key: fmt.Sprint(jobs.repo, i), Kind: "log", Repo: jobs.repo})
				f.ok(err)
			}
		}
		keys := func(list []store.Work) (keys []string) {
			for _, w := range list {
				keys = append(keys, w.Key)
			}
			slices.Sort(keys)
			return keys
		}
		first := f.claim("r1", 6, 0)
		f.equal(keys(first), []string{"0", "Greedy/app0", "Greedy/app1", "quiet/app0", "quiet/app1"})
		f.equal(len(f.claim("r1", 1, 0)), 0)
		f.equal(keys(f.claim("r2", 4, 0)), []string{"Greedy/app2", "Greedy/app3", "quiet/app2"})
		for _, w := range first {
			if w.Repo == "Greedy/app" {
				f.ok(f.queue().EndWork(f.Context(), w, start))
			}
		}
		f.equal(keys(f.claim("r1", 3, 0)), []string{"Greedy/app4", "Greedy/app5"})
		f.equal(keys(f.claim("r1", 6, time.Minute)), []string{"0", "Greedy/app6", "Greedy/app7", "quiet/app0", "quiet/app1"})
	},
	"dead letters are listed, read, replayed and dropped": func(f fixture) {
		f.put("a", "b")
		for range 2 {
			f.ok(f.queue().BuryWork(f.Context(), f.one("r1", 0), start, "no such job"))
		}
		dead, err := f.queue().Works(f.Context(), store.WorkFilter{State: store.WorkDead, Kind: "log", Limit: 1})
		f.ok(err)
		f.equal(dead[0].Key+" "+dead[0].Error, "b no such job")
		read, err := f.queue().Work(f.Context(), dead[0].ID)
		f.ok(err)
		f.equal(string(read.Body), "b")
		f.ok(f.queue().ReplayWork(f.Context(), read.ID, start))
		f.refused(f.queue().ReplayWork(f.Context(), read.ID, start), store.Conflict)
		w := f.one("r1", 0)
		f.equal([]any{w.Key, w.Tries, w.Error}, []any{"b", 1, ""})
		f.refused(f.queue().DropWork(f.Context(), w.ID, start), store.Conflict)
		f.ok(f.queue().DropWork(f.Context(), w.ID, start.Add(time.Hour)))
		for _, err := range []error{f.queue().DropWork(f.Context(), w.ID, start),
			f.queue().ReplayWork(f.Context(), w.ID, start)} {
			f.refused(err, store.NotFound)
		}
		f.refused(func() error { _, err := f.queue().Work(f.Context(), w.ID); return err }(), store.NotFound)
		f.equal(f.put("b"), 1)
	},
	"jobs are counted, and old ones forgotten": func(f fixture) {
		f.put("a", "b", "c")
		f.ok(f.queue().EndWork(f.Context(), f.one("r1", 0), start))
		f.ok(f.queue().BuryWork(f.Context(), f.one("r1", 0), start, "x"))
		counts, err := f.queue().CountWork(f.Context())
		f.ok(err)
		f.equal(counts, []store.WorkCount{{Kind: "log", State: store.WorkDead, Jobs: 1, Oldest: start},
			{Kind: "log", State: store.WorkOpen, Jobs: 1, Oldest: start}})
		for i, want := range []int{0, 2, 0} {
			n, err := f.queue().ForgetWork(f.Context(), start.Add(time.Duration(i)*time.Second))
			f.ok(err)
			f.equal(n, want)
		}
		f.equal(f.states(), []string{"c open 0"})
	},
	"jobs count for their owner as long as they are known": func(f fixture) {
		job := store.Work{Key: "a", Kind: "log", Repo: "Acme/shop", Body: []byte("abc\x00d")}
		put := func(w store.Work) {
			f.Helper()
			_, err := f.queue().PutWork(f.Context(), start, w)
			f.ok(err)
		}
		is := func(jobs ...store.Work) {
			f.Helper()
			var want store.Usage
			for _, w := range jobs {
				want.Bytes += w.StoredBytes()
			}
			f.used("acme/shop", store.Usage{}, want)
			n, err := f.s.Recount(f.Context(), 0, 1)
			f.ok(err)
			f.equal(n, 0)
		}
		put(job)
		put(job) // a repeated call
		is(job)
		account := store.Work{Key: "b", Kind: "enrol", Repo: "acme/", Body: []byte("x")}
		put(account)
		is(job, account)
		claimed := f.claim("r1", 4, 0)
		is(job, account)
		job.Error = "no such job"
		f.ok(f.queue().BuryWork(f.Context(), claimed[0], start, job.Error))
		f.ok(f.queue().EndWork(f.Context(), claimed[1], start))
		account.Body = nil
		is(job, account)
		report := store.Work{Key: "c", Kind: "report", Repo: "acme/web", Body: []byte("long"), Wakes: true}
		put(report)
		report.Body = []byte("longer")
		put(report)
		is(job, account, report)
		f.ok(f.queue().ReplayWork(f.Context(), claimed[0].ID, start))
		job.Error = ""
		is(job, account, report)
		f.ok(f.queue().DropWork(f.Context(), claimed[0].ID, start))
		is(account, report)
		_, err := f.queue().ForgetWork(f.Context(), start.Add(time.Second))
		f.ok(err)
		is(report)
		put(store.Work{Key: "d", Kind: "delivery", Repo: "", Body: []byte("of nobody")})
		is(report)
	},
	"the oldest dead jobs of an owner go first when room is short": func(f fixture) {
		f.fail("o/n", "build", "m")
		for i, repo := range []string{"o/n", "o/m", "p/n", "o/n"} {
			_, err := f.queue().PutWork(f.Context(), start, store.Work{Key: fmt.Sprint(i), Kind: "log", Repo: repo,
				Body: make([]byte, 1000)})
			f.ok(err)
			if i < 3 {
				f.ok(f.queue().BuryWork(f.Context(), f.one("r1", 0), start.Add(time.Duration(i)*time.Second), "gone"))
			}
		}
		of, owner, err := f.s.Usage(f.Context(), "o/n")
		f.ok(err)
		f.shrink(owner, owner.Bytes, 0)
		f.shrink(of, of.Bytes, 0)
		f.equal(len(f.states()), 4)
		for _, want := range [][]string{{"3 open 0", "2 dead 1", "1 dead 1"}, {"3 open 0", "2 dead 1"}} {
			_, owner, err := f.s.Usage(f.Context(), "o/n")
			f.ok(err)
			done, err := f.s.Shrink(f.Context(), owner, owner.Bytes-1000)
			f.ok(err)
			f.equal(done, store.Pruned{Jobs: 1})
			f.equal(f.states(), want)
		}
		_, owner, err = f.s.Usage(f.Context(), "o/n")
		f.ok(err)
		f.shrink(owner, owner.Bytes-1, 1)
		f.equal(f.states(), []string{"3 open 0", "2 dead 1"})
	},
	"workers at a time share the jobs": func(f fixture) {
		var keys []string
		for i := range 60 {
			keys = append(keys, fmt.Sprint(i))
		}
		f.put(keys...)
		var mu sync.Mutex
		seen := map[string]int{}
		var workers sync.WaitGroup
		for i := range 4 {
			workers.Go(func() {
				for {
					list, err := f.queue().ClaimWork(f.Context(), fmt.Sprint(i), 3, start, start.Add(time.Minute))
					if err != nil || len(list) == 0 {
						if err != nil {
							f.Error(err)
						}
						return
					}
					for _, w := range list {
						if err := f.queue().EndWork(f.Context(), w, start); err != nil {
							f.Error(err)
						}
						mu.Lock()
						seen[w.Key]++
						mu.Unlock()
					}
				}
			})
		}
		workers.Wait()
		for _, k := range keys {
			if seen[k] != 1 {
				f.Errorf("%s was worked on %d times", k, seen[k])
			}
		}
	},
}
