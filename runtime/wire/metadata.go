package wire

import "bytes"

// metadata is what is read of an object before it is decoded: parts of its frame.
type metadata struct {
	namespace, name, uid, resourceVersion []byte
}

// readVersion is readMetadata without uid, for a look into the cache: it reads no
// further than it has to.
func readVersion(frame []byte) (found metadata) {
	if at := memberAt(frame, 0, "metadata"); at >= 0 {
		members(frame, at, func(m member) bool {
			found.take(m)
			return found.namespace == nil || found.name == nil || found.resourceVersion == nil
		})
	}
	return found
}

// take takes a member of the metadata if it is one of those that are wanted.
func (found *metadata) take(m member) {
	switch {
	case m.is("namespace"):
		found.namespace, _ = text(m.value)
	case m.is("name"):
		found.name, _ = text(m.value)
	case m.is("uid"):
		found.uid, _ = text(m.value)
	case m.is("resourceVersion"):
		found.resourceVersion, _ = text(m.value)
	}
}

// readMetadata reads the metadata of the object in frame, as far as it is there.
func readMetadata(frame []byte) (found metadata) {
	members(frame, 0, func(m member) bool {
		if !m.is("metadata") {
			return true
		}
		found, _ = readMembers(m.value)
		return false
	})
	return found
}

// readMembers reads the value of metadata. whole is set if all of it is there.
func readMembers(text []byte) (found metadata, whole bool) {
	end := members(text, 0, func(m member) bool {
		found.take(m)
		return true
	})
	return found, end >= 0
}

// readEventMetadata reads the metadata of the object of the event in frame.
func readEventMetadata(frame []byte) (found metadata) {
	members(frame, 0, func(m member) bool {
		if m.is("object") {
			found = readMetadata(m.value)
		}
		return true
	})
	return found
}

// dropped says what of an object's metadata is not to be decoded.
type dropped struct {
	managedFields bool
	annotations   map[string]bool
}

func newDropped(o *Options) dropped {
	d := dropped{managedFields: o.WithoutManagedFields}
	for _, key := range o.WithoutAnnotations {
		if d.annotations == nil {
			d.annotations = map[string]bool{}
		}
		d.annotations[key] = true
	}
	return d
}

// nothing says that all is decoded.
func (d *dropped) nothing() bool { return !d.managedFields && len(d.annotations) == 0 }

// cut returns frame without what is dropped. It does not change frame.
func (d *dropped) cut(frame []byte) []byte {
	if d.nothing() {
		return frame
	}
	var cuts []span
	members(frame, 0, func(m member) bool {
		if m.is("metadata") {
			members(m.value, 0, func(m member) bool {
				switch {
				case d.managedFields && m.is("managedFields"):
					cuts = append(cuts, spanOf(frame, m))
				case len(d.annotations) > 0 && m.is("annotations"):
					members(m.value, 0, func(m member) bool {
						if key, ok := text(m.quoted); ok && d.annotations[string(key)] {
							cuts = append(cuts, spanOf(frame, m))
						}
						return true
					})
				}
				return true
			})
		}
		return true
	})
	return remove(frame, cuts)
}

// span is bytes from start to before end.
type span struct{ start, end int }

// spanOf is where a member, whose bytes are frame's, stands in it.
func spanOf(frame []byte, m member) span {
	start := cap(frame) - cap(m.quoted)
	end := cap(frame) - cap(m.value) + len(m.value)
	return span{start, end}
}

// remove copies frame without some members, each with the comma that follows it or,
// for the last one of its object, the one before it.
func remove(frame []byte, cuts []span) []byte {
	if len(cuts) == 0 {
		return frame
	}
	kept := make([]byte, 0, len(frame))
	at := 0
	for _, c := range cuts {
		kept = append(kept, frame[at:c.start]...)
		at = skipSpace(frame, c.end)
		if at < len(frame) && frame[at] == ',' {
			at++
		} else if trimmed := bytes.TrimRight(kept, " \t\r\n"); len(trimmed) > 0 && trimmed[len(trimmed)-1] == ',' {
			kept = trimmed[:len(trimmed)-1]
		}
	}
	return append(kept, frame[at:]...)
}
