package lexical

import "bytes"

// merge writes the terms of the portions and of an earlier index. Each portion has later blocks than the previous
// portion.
func (w *writer) merge(portions []*Index, reuse Reuse) {
	var all cursors
	var dictionary, postings, positions int // total sizes of the parts; the result needs no more
	for i, x := range append(portions, reuse.Index) {
		if x == nil || x.count == 0 {
			continue
		}
		if c := (&cursor{x.group(0), i}); c.next() {
			all = append(all, c)
		}
		dictionary += len(x.dictionary)
		postings += len(x.postings)
		positions += len(x.positions)
	}
	w.dictionary = make([]byte, 0, dictionary)
	w.postings, w.positions = make([]byte, 0, postings), make([]byte, 0, positions)
	for i := len(all)/2 - 1; i >= 0; i-- {
		all.down(i)
	}
	var name []byte
	var added chain
	for len(all) > 0 {
		name = append(name[:0], all[0].name...)
		var old term
		added.lists = added.lists[:0]
		for len(all) > 0 && bytes.Equal(all[0].name, name) {
			if c := all[0]; c.number < len(portions) {
				added.lists = append(added.lists, c.term)
			} else {
				old = c.term
			}
			all.next()
		}
		w.begin()
		w.both(old, reuse.Numbers, added)
		w.end(name)
	}
}

// both writes the postings of one term, in the order of their blocks. They come from an earlier index, whose blocks get
// the new numbers, and from the portions.
func (w *writer) both(old term, numbers []int, added chain) {
	add := func(p posting, positions []byte) {
		w.positions = append(w.positions, positions...)
		w.posting(p)
	}
	more := added.next()
	for p := old.postings(); p.next(); {
		at := p.positionBytes()
		if p.block >= len(numbers) || numbers[p.block] < 0 {
			continue
		}
		moved := p.posting
		moved.block = numbers[p.block]
		for more && added.block < moved.block {
			add(added.posting, added.positionBytes())
			more = added.next()
		}
		add(moved, at)
	}
	for more {
		add(added.posting, added.positionBytes())
		more = added.next()
	}
}

// chain reads the postings of a term from several portions in order.
type chain struct {
	postings
	lists []term
}

func (c *chain) next() bool {
	for !c.postings.next() {
		if len(c.lists) == 0 {
			return false
		}
		c.postings, c.lists = c.lists[0].postings(), c.lists[1:]
	}
	return true
}

// cursor reads the dictionary of an index.
type cursor struct {
	dictionaryReader
	number int // position of the index in the list
}

// cursors is a heap. The first cursor has the least name. Among equal names the cursor of the first index comes
// first.
type cursors []*cursor

func (c cursors) before(i, j int) bool {
	order := bytes.Compare(c[i].name, c[j].name)
	return order < 0 || order == 0 && c[i].number < c[j].number
}

func (c cursors) down(i int) {
	for {
		first := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(c) && c.before(child, first) {
				first = child
			}
		}
		if first == i {
			return
		}
		c[i], c[first] = c[first], c[i]
		i = first
	}
}

// next moves the first cursor to its next name, or removes the cursor if it has no next name.
func (c *cursors) next() {
	if all := *c; !all[0].next() {
		last := len(all) - 1
		all[0], *c = all[last], all[:last]
	}
	c.down(0)
}
