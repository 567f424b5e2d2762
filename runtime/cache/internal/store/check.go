package store

import "fmt"

// Check returns an error if an invariant of the tables is broken. It is for tests. Readers
// may go on meanwhile.
func (s *Store) Check() error {
	n, hashes := s.objects.len(), 0
	if s.keepsHashes {
		hashes = n
	}
	if len(s.nameHashes) != n || len(s.hashes) != hashes {
		return fmt.Errorf("%d objects have %d hashes of names and %d hashes of content", n, len(s.nameHashes), len(s.hashes))
	}
	return s.names.check(n)
}

// check checks what lets every search in the table end: used counts its entries, there is
// one for each object, and enough of the table is empty.
func (t *names) check(objects int) error {
	n, entries := t.len(), 0
	for at := range n {
		if (*t.table.Load())[at] != 0 {
			entries++
		}
	}
	if entries != objects || t.used != objects || 16*entries > 13*n || n&(n-1) != 0 {
		return fmt.Errorf("a table of %d has %d entries, counted as %d, for %d objects", n, entries, t.used, objects)
	}
	return nil
}
