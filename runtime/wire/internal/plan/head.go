package plan

import "hash/maphash"

// Head tells which object a text is, and of which kind. It is read before the object is
// decoded. All of it is part of the text, or nil if the text does not have it.
type Head struct {
	Kind, APIVersion []byte
	// Namespace, Name, UID and ResourceVersion are from the first metadata.
	Namespace, Name, UID, ResourceVersion []byte
	// IsWhole is set if the text has all of the metadata.
	IsWhole bool
	// Metadata is the text from the metadata on, for Controller. Only ReadIdentity sets it.
	Metadata []byte
	// IsProtobuf is set if Metadata is a message.
	IsProtobuf bool
}

// ReadHead reads the head of the object that text begins with. The object need be neither
// valid nor complete.
func ReadHead(text []byte) (h Head) {
	Members(text, func(m Member) bool {
		switch {
		case m.Is("kind"):
			h.Kind, _ = Text(m.Value)
		case m.Is("apiVersion"):
			h.APIVersion, _ = Text(m.Value)
		case m.Is("metadata") && !h.IsWhole:
			h.IsWhole = Members(m.Value, func(m Member) bool {
				h.take(m)
				return true
			}) >= 0
		}
		return true
	})
	return h
}

// ReadEventHead reads the head of the object of an event.
func ReadEventHead(text []byte) (h Head) {
	Members(text, func(m Member) bool {
		if m.Is("object") {
			h = ReadHead(m.Value)
		}
		return true
	})
	return h
}

// ReadVersion reads Namespace, Name and ResourceVersion. Unlike ReadHead, it reads as little
// of the text as possible.
func ReadVersion(text []byte) (h Head) {
	if at := MemberAt(text, "metadata"); at >= 0 {
		Members(text[at:], func(m Member) bool {
			h.take(m)
			return h.Namespace == nil || h.Name == nil || h.ResourceVersion == nil
		})
	}
	return h
}

// ReadIdentity reads Namespace, Name, UID and ResourceVersion. Unlike ReadHead, it reads as little
// of the text as possible.
func ReadIdentity(text []byte) (h Head) {
	at := MemberAt(text, "metadata")
	if at < 0 {
		return h
	}
	h.Metadata = text[at:]
	Members(h.Metadata, func(m Member) bool {
		h.take(m)
		return h.UID == nil || h.ResourceVersion == nil || h.Namespace == nil || h.Name == nil
	})
	return h
}

// Controller returns the UID of the controller in the owner references of the metadata that text
// begins with; nil if there is none.
func Controller(text []byte) (uid []byte) {
	at := MemberAt(text, "ownerReferences")
	if at < 0 || peek(text, at) != '[' {
		return nil
	}
	for at, more := first(text, at, ']'); more; {
		var owner []byte
		isController := false
		end := Members(text[at:], func(m Member) bool {
			switch {
			case m.Is("uid"):
				owner, _ = Text(m.Value)
			case m.Is("controller"):
				isController = string(m.Value) == "true"
			}
			return true
		})
		if isController {
			return owner
		}
		if end < 0 {
			return nil
		}
		at, more = nextOrEnd(text, at+end, ']')
	}
	return nil
}

// take takes a member of the metadata if the head has it.
func (h *Head) take(m Member) {
	switch {
	case m.Is("namespace"):
		h.Namespace, _ = Text(m.Value)
	case m.Is("name"):
		h.Name, _ = Text(m.Value)
	case m.Is("uid"):
		h.UID, _ = Text(m.Value)
	case m.Is("resourceVersion"):
		h.ResourceVersion, _ = Text(m.Value)
	}
}

var contentSeed = maphash.MakeSeed()

// ContentHash returns the hash of the text of an object, which is never 0. It leaves out
// kind and apiVersion if they come first: items of built-in kinds have them in a WATCH, but
// not in a LIST.
func ContentHash(text []byte) uint64 {
	return max(1, maphash.Bytes(contentSeed, text[afterTypeMeta(text):]))
}

// afterTypeMeta returns the start of the first member of an object that is neither kind nor
// apiVersion. If text is no object, it returns the index at which that shows.
func afterTypeMeta(text []byte) int {
	at := SkipSpace(text, 0)
	if peek(text, at) != '{' {
		return at
	}
	for at = SkipSpace(text, at+1); ; {
		quoted, value := nameAt(text, at)
		if value == gaveUp || string(quoted) != `"kind"` && string(quoted) != `"apiVersion"` {
			return at
		}
		next, more := nextOrEnd(text, ValueEnd(text, value), '}')
		if !more {
			return at
		}
		at = next
	}
}
