package record

import (
	"sync"
	"sync/atomic"

	"github.com/blq-ci/blq/internal/capture"
)

// The log is compressed and parsed concurrently, in two stages. A stage is a goroutine that processes the pieces of
// output in order.

// piece is a part of the output, shared by the stages.
type piece struct {
	stream capture.Stream
	text   []byte
	users  atomic.Int32
}

const (
	pieceSize  = 256 << 10
	stageDepth = 8 // max pieces that wait for a stage; this limits the distance between the stages
)

var pieces = sync.Pool{New: func() any { return &piece{text: make([]byte, 0, pieceSize)} }}

func newPiece(stream capture.Stream, text []byte, users int) *piece {
	p := pieces.Get().(*piece)
	p.stream, p.text = stream, append(p.text[:0], text...)
	p.users.Store(int32(users))
	return p
}

func (p *piece) done() {
	if p.users.Add(-1) == 0 && cap(p.text) <= 2*pieceSize {
		pieces.Put(p)
	}
}

// stage calls work for each sent piece, in order.
type stage struct {
	in    chan *piece
	ended chan struct{}
}

func newStage(work func(*piece)) *stage {
	s := &stage{in: make(chan *piece, stageDepth), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		for p := range s.in {
			work(p)
			p.done()
		}
	}()
	return s
}

// finish waits until all pieces are processed.
func (s *stage) finish() {
	close(s.in)
	<-s.ended
}
