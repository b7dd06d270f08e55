package cage

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Conn carries frames between a process and its child. A frame has a kind, a length and a payload.
type Conn struct {
	r    *bufio.Reader
	w    *bufio.Writer
	lost bool
}

// lost is the error of a connection whose other end has disappeared.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

const headSize = 5

// Send writes a frame. The payload of the frame is the concatenation of parts.
func (c *Conn) Send(kind byte, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	var head [headSize]byte
	head[0] = kind
	binary.BigEndian.PutUint32(head[1:], uint32(n))
	_, err := c.w.Write(head[:])
	for _, p := range parts {
		if err == nil {
			_, err = c.w.Write(p)
		}
	}
	return c.note(err)
}

// Flush writes all buffered frames.
func (c *Conn) Flush() error { return c.note(c.w.Flush()) }

// Next reads the head of the next frame. It returns the kind of the frame, and the size of the frame's payload. The
// caller must then read the payload with Payload.
func (c *Conn) Next() (kind byte, size int64, err error) {
	var head [headSize]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return 0, 0, c.note(err)
	}
	return head[0], int64(binary.BigEndian.Uint32(head[1:])), nil
}

// Payload reads the payload of a frame. The caller must check the size first.
func (c *Conn) Payload(size int64) ([]byte, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(c.r, b)
	return b, c.note(err)
}

func (c *Conn) note(err error) error {
	if err == nil {
		return nil
	}
	c.lost = true
	return lost{fmt.Errorf("the statement's process: %w", err)}
}

// limits holds the limits of a child.
type limits struct {
	Memory int64         // max bytes of memory, in addition to the memory of an idle child
	CPU    time.Duration // 0 for no limit
	Yield  bool          // give other processes priority
}

const (
	kindLimits = 0
	maxLimits  = 1 << 10
)

func (c *Conn) send(l limits) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return c.Send(kindLimits, b)
}

func (c *Conn) limits() (limits, error) {
	var l limits
	kind, size, err := c.Next()
	if err != nil {
		return l, err
	}
	if kind != kindLimits || size > maxLimits {
		return l, errors.New("the first frame has no limits")
	}
	b, err := c.Payload(size)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(b, &l)
}
