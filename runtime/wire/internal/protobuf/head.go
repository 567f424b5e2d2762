package protobuf

import (
	"hash/maphash"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// The numbers of fields of metav1.ObjectMeta, which are part of the API.
const (
	nameNumber            = 1
	namespaceNumber       = 3
	uidNumber             = 5
	resourceVersionNumber = 6
	ownersNumber          = 13

	// Those of metav1.OwnerReference.
	ownerUIDNumber   = 4
	controllerNumber = 6
)

// fields calls visit for each field of a message whose content has a length, until visit
// returns false. If the message is cut off in such a field, visit gets the part that is
// there, and whole is false.
func fields(message []byte, visit func(number uint64, content []byte, whole bool) bool) {
	for at := 0; at < len(message); {
		tag, value := readTag(message, at)
		if value == gaveUp {
			return
		}
		if tag&7 != delimited {
			if at, _ = skipAny(message, value, tag); at == gaveUp {
				return
			}
			continue
		}
		start, end := readContent(message, value)
		if end == gaveUp {
			if _, start = readVarint(message, value); start != gaveUp {
				visit(tag>>3, message[start:], false)
			}
			return
		}
		if !visit(tag>>3, message[start:end:end], true) {
			return
		}
		at = end
	}
}

// ReadHead reads the head of the object that message begins with. The message need not be
// complete. It has neither Kind nor APIVersion, which are in the envelope.
func (p *Plan) ReadHead(message []byte) (h plan.Head) {
	fields(message, func(number uint64, content []byte, whole bool) bool {
		if number != p.metadata {
			return true
		}
		h.IsWhole = whole
		fields(content, func(number uint64, content []byte, whole bool) bool {
			if whole {
				take(&h, number, content)
			}
			return true
		})
		return false
	})
	return h
}

// ReadVersion reads Namespace, Name and ResourceVersion. Unlike ReadHead, it reads as little
// of the message as possible.
func (p *Plan) ReadVersion(message []byte) (h plan.Head) {
	fields(message, func(number uint64, content []byte, whole bool) bool {
		if number != p.metadata || !whole {
			return true
		}
		fields(content, func(number uint64, content []byte, whole bool) bool {
			if whole {
				take(&h, number, content)
			}
			return h.ResourceVersion == nil
		})
		return false
	})
	return h
}

// ReadIdentity reads Namespace, Name, UID and ResourceVersion, and sets Metadata. Unlike ReadHead, it
// reads as little of the message as possible.
func (p *Plan) ReadIdentity(message []byte) (h plan.Head) {
	fields(message, func(number uint64, content []byte, whole bool) bool {
		if number != p.metadata || !whole {
			return true
		}
		h.Metadata, h.IsProtobuf = content, true
		fields(content, func(number uint64, content []byte, whole bool) bool {
			if whole {
				take(&h, number, content)
			}
			return h.UID == nil || h.ResourceVersion == nil || h.Namespace == nil || h.Name == nil
		})
		return false
	})
	return h
}

// Controller returns the UID of the controller in the owner references of a metadata message; nil if
// there is none.
func Controller(metadata []byte) (uid []byte) {
	fields(metadata, func(number uint64, content []byte, whole bool) bool {
		if number == ownersNumber && whole {
			if owner, isController := readOwner(content); isController {
				uid = owner
				return false
			}
		}
		return true
	})
	return uid
}

// readOwner reads a metav1.OwnerReference.
func readOwner(message []byte) (uid []byte, isController bool) {
	for at := 0; at < len(message); {
		tag, value := readTag(message, at)
		if value == gaveUp {
			break
		}
		switch tag {
		case ownerUIDNumber<<3 | delimited:
			start, end := readContent(message, value)
			if end == gaveUp {
				return uid, isController
			}
			uid = message[start:end:end]
		case controllerNumber<<3 | varint:
			v, _ := readVarint(message, value)
			isController = v != 0
		}
		if at, _ = skipAny(message, value, tag); at == gaveUp {
			break
		}
	}
	return uid, isController
}

// take takes a field of the metadata if the head has it.
func take(h *plan.Head, number uint64, content []byte) {
	switch number {
	case nameNumber:
		h.Name = content
	case namespaceNumber:
		h.Namespace = content
	case uidNumber:
		h.UID = content
	case resourceVersionNumber:
		h.ResourceVersion = content
	}
}

var contentSeed = maphash.MakeSeed()

// ContentHash returns the hash of a message, which is never 0. A LIST and a WATCH have the
// same message of an object.
func (p *Plan) ContentHash(message []byte) uint64 {
	return max(1, maphash.Bytes(contentSeed, message))
}
