package status

// Change is a change of the Status of an informer.
type Change struct {
	// Name is the name of the informer in logs and errors, such as "foos.example.com in
	// namespace team-a".
	Name string
	// Old is the Status of the call before, Pending in the first call. New is the one of the
	// moment of the change, in which the cache may be a batch behind the server.
	Old, New Status
}

// String returns the name and the new status in one line.
func (c Change) String() string { return c.Name + ": " + c.New.String() }
