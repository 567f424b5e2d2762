package merge

// Ensure returns the value that *to points to. If *to is nil, it first makes it point to an empty value.
func Ensure[T any](to **T) *T {
	if *to == nil {
		*to = new(T)
	}
	return *to
}

// Append appends the values that values point to. It panics if one of them is nil. method is the name of the
// calling method.
func Append[T any](method string, to []T, values []*T) []T {
	for _, value := range values {
		if value == nil {
			panic("nil value passed to " + method)
		}
		to = append(to, *value)
	}
	return to
}

// AppendTo is Append for a pointer to a slice. The result is not nil, even without values.
func AppendTo[T any](method string, to *[]T, values []*T) *[]T {
	if to == nil {
		to = &[]T{}
	}
	*to = Append(method, *to, values)
	return to
}

// Put sets entries in the map to, which may be nil.
func Put[M ~map[K]V, K comparable, V any](to, entries M) M {
	if to == nil && len(entries) > 0 {
		to = make(M, len(entries))
	}
	for key, value := range entries {
		to[key] = value
	}
	return to
}
