//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// These are environment variables that make this program an attacker.
const (
	roleVariable   = "BLQ_ATTACK"
	targetVariable = "BLQ_ATTACK_TARGET"
)

// attack is an attack with a name. It runs until its context ends.
type attack struct {
	name  string
	needs need
	run   func(*attacker)
}

// attacker is a process that attacks a service.
type attacker struct {
	target
	ctx     context.Context
	web     *http.Client
	own     map[string]*http.Client // clients of tenants, by token; each has its own address
	mu      sync.Mutex
	answers map[string]int // number of answers by status
	n       atomic.Int64
	all     sync.WaitGroup
}

// attackAs is the main function of an attacker. It prints the number of answers of each kind.
func attackAs(name string, about []byte) error {
	i := slices.IndexFunc(attacks, func(a attack) bool { return a.name == name })
	a := &attacker{answers: map[string]int{}}
	if err := json.Unmarshal(about, &a.target); err != nil || i < 0 {
		return errors.Join(err, fmt.Errorf("attack %s", name))
	}
	yield()
	var cancel context.CancelFunc
	a.ctx, cancel = context.WithTimeout(context.Background(), a.For)
	defer cancel()
	a.n.Store(time.Now().UnixNano() & (1<<40 - 1)) // so that attempts of earlier attackers are not used again
	a.web, a.own = a.client(3), map[string]*http.Client{}
	for tenant, token := range a.Tokens {
		a.own[token] = a.client(byte(3 + tenant))
	}
	attacks[i].run(a)
	a.all.Wait()
	return json.NewEncoder(os.Stdout).Encode(a.answers)
}

// yield lets this process work only when the processors are idle, because a real attacker has its own processors. The
// lowest priority alone is not enough, because a process with the lowest priority is not interrupted at once.
func yield() {
	yieldSession()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19)
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads { // threads that start later inherit the priority
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.SchedSetAttr(id, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
		}
	}
}

// yieldSession gives the session of this process less CPU time than the session of the service. Linux may share
// processors by session first, and by priority within each session. Each process of PostgreSQL is such a session, too.
func yieldSession() {
	if nice, ok := sessionNice(os.Getppid()); ok {
		_ = os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(min(19, nice+5))), 0)
	}
}

// dial returns a function that dials from the loopback address of a client.
func (a *attacker) dial(last byte) func(context.Context, string, string) (net.Conn, error) {
	return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, last)}}).DialContext
}

// client returns a client that dials from its own loopback address. number is the last
// byte of the address.
func (a *attacker) client(number byte) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DialContext: a.dial(number)}}
}

// workers calls do in n goroutines until the attack ends.
func (a *attacker) workers(n int, do func(worker int)) {
	for i := range n {
		a.all.Go(func() {
			for a.ctx.Err() == nil {
				do(i)
			}
		})
	}
}

// note counts an answer.
func (a *attacker) note(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[what]++
}

// call sends a request and reads the answer.
func (a *attacker) call(token, method, path string, body []byte, header ...string) int {
	req, err := http.NewRequestWithContext(a.ctx, method, a.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	web := a.web
	if own, ok := a.own[token]; ok {
		web = own
	}
	res, err := web.Do(req)
	if err != nil {
		if a.ctx.Err() == nil {
			a.note("none")
		}
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	a.note(fmt.Sprint(res.StatusCode))
	return res.StatusCode
}

// running is an attack that is going on.
type running struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

// attack starts an attack, which ends by itself.
func (s *service) attack(ctx context.Context, name string, d time.Duration) (*running, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	t := s.target
	t.For = d
	about, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d+time.Minute)
	p := &running{cmd: exec.CommandContext(ctx, self)}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+name, targetVariable+"="+string(about))
	p.cmd.Stdout, p.cmd.Stderr = &p.out, os.Stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	context.AfterFunc(ctx, cancel)
	return p, p.cmd.Start()
}

// end waits for the end of an attack and adds its answers to sum.
func (p *running) end(sum map[string]int) error {
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("the attacker: %w", err)
	}
	got := map[string]int{}
	if err := json.Unmarshal(p.out.Bytes(), &got); err != nil {
		return err
	}
	for k, n := range got {
		sum[k] += n
	}
	sum[attackerCPU] += int((p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()).Milliseconds())
	return nil
}

// attackerCPU is the key for the attacker's processor time in ms.
const attackerCPU = "its CPU ms"
