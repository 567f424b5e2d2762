package store

import "fmt"

// Check returns an error if an invariant of the tables is broken. It is for tests, and may
// be called next to readers.
func (s *Store[T]) Check() error {
	n := s.objects.len()
	hashes := 0
	if s.keepsHashes {
		hashes = n
	}
	if len(s.nameHashes) != n || len(s.hashes) != hashes {
		return fmt.Errorf("there are %d objects, %d hashes of names and %d hashes of content", n, len(s.nameHashes), len(s.hashes))
	}
	for _, idx := range s.indexes {
		if len(idx.refs) != n {
			return fmt.Errorf("index %q has %d refs for %d objects", idx.name, len(idx.refs), n)
		}
	}
	return s.names.check(n)
}

// check checks what lets every search in the table end: used counts its entries, there is
// one for each object, and enough of the table is empty.
func (t *names) check(objects int) error {
	entries := 0
	if table := t.table.Load(); table != nil {
		for _, entry := range *table {
			if entry != 0 {
				entries++
			}
		}
	}
	if n := t.len(); entries != objects || t.used != objects || 16*entries > 13*n || n&(n-1) != 0 {
		return fmt.Errorf("a table of %d names has %d entries, counted as %d, for %d objects", n, entries, t.used, objects)
	}
	return nil
}
