package podserver

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// encoding writes bodies. The writer's Flush reports errors.
type encoding interface {
	// contentType is that of a list or a status, and streamType that of a watch.
	contentType() string
	streamType() string
	list(w *bufio.Writer, meta metav1.ListMeta, items []rendered)
	event(w *bufio.Writer, kind watch.EventType, of schema.GroupVersionKind, obj rendered)
	status(w io.Writer, status *metav1.Status) error
}

// negotiate returns the encoding that an Accept header asks for: the one with the highest
// quality, or the first of several. It returns nil if the server has none of them.
func (k Kind) negotiate(accept string) encoding {
	if accept == "" {
		return jsonEncoding{k}
	}
	type clause struct {
		encoding
		quality float64
	}
	var clauses []clause
	for text := range strings.SplitSeq(accept, ",") {
		mediaType, parameters, err := mime.ParseMediaType(text)
		// The server transforms no objects, and streams nothing but watches.
		if stream := parameters["stream"]; err != nil || parameters["as"] != "" || stream != "" && stream != "watch" {
			continue
		}
		quality, err := strconv.ParseFloat(parameters["q"], 64)
		if err != nil {
			quality = 1
		}
		switch _, isProtobuf := k.empty().(marshaler); {
		case mediaType == runtime.ContentTypeProtobuf && isProtobuf:
			clauses = append(clauses, clause{protobufEncoding{k}, quality})
		case mediaType == runtime.ContentTypeJSON, mediaType == "application/*", mediaType == "*/*":
			clauses = append(clauses, clause{jsonEncoding{k}, quality})
		}
	}
	if len(clauses) == 0 {
		return nil
	}
	slices.SortStableFunc(clauses, func(a, b clause) int {
		switch {
		case a.quality > b.quality:
			return -1
		case a.quality < b.quality:
			return 1
		}
		return 0
	})
	return clauses[0].encoding
}

type jsonEncoding struct{ Kind }

func (jsonEncoding) contentType() string { return runtime.ContentTypeJSON }
func (jsonEncoding) streamType() string  { return runtime.ContentTypeJSON }

func (e jsonEncoding) list(w *bufio.Writer, meta metav1.ListMeta, items []rendered) {
	text, err := json.Marshal(meta)
	if err != nil {
		panic(err) // it has only text and numbers
	}
	fmt.Fprintf(w, `{"kind":"%sList","apiVersion":%q,"metadata":%s,"items":[`, e.Kind.Kind, e.GroupVersion(), text)
	for i, item := range items {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteByte('{')
		w.Write(item.json)
	}
	w.WriteString("]}\n")
}

func (jsonEncoding) event(w *bufio.Writer, kind watch.EventType, of schema.GroupVersionKind, obj rendered) {
	for _, part := range []string{`{"type":"`, string(kind), `","object":{"kind":"`, of.Kind, `","apiVersion":"`, apiVersion(of), `",`} {
		w.WriteString(part)
	}
	w.Write(obj.json)
	w.WriteString("}\n")
}

// apiVersion is of.GroupVersion().String() without allocations for the core group.
func apiVersion(of schema.GroupVersionKind) string {
	if of.Group == "" {
		return of.Version
	}
	return of.GroupVersion().String()
}

func (jsonEncoding) status(w io.Writer, status *metav1.Status) error {
	status.SetGroupVersionKind(statusKind)
	return json.NewEncoder(w).Encode(status)
}

// statusKind is that of errors.
var statusKind = schema.GroupVersionKind{Version: "v1", Kind: "Status"}

type protobufEncoding struct{ Kind }

func (protobufEncoding) contentType() string { return runtime.ContentTypeProtobuf }
func (protobufEncoding) streamType() string  { return runtime.ContentTypeProtobuf + ";stream=watch" }

// magic is what an envelope begins with.
const magic = "k8s\x00"

// Fields of a list, whose values have a length: those of its metadata and of an item.
const (
	metadataField = 1<<3 | 2
	itemsField    = 2<<3 | 2
)

func (e protobufEncoding) list(w *bufio.Writer, meta metav1.ListMeta, items []rendered) {
	metadata, err := meta.Marshal()
	if err != nil {
		panic(err) // it has only text and numbers
	}
	size := fieldSize(metadata)
	for _, item := range items {
		size += fieldSize(item.message)
	}
	w.WriteString(magic)
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: e.GroupVersion().String(), Kind: e.Kind.Kind + "List"}}
	_, _ = unknown.MarshalToWriter(w, size, func(io.Writer) (int, error) {
		writeField(w, metadataField, metadata)
		for _, item := range items {
			writeField(w, itemsField, item.message)
		}
		return size, nil
	})
}

func (protobufEncoding) event(w *bufio.Writer, kind watch.EventType, _ schema.GroupVersionKind, obj rendered) {
	const typeField = 1<<3 | 2
	var length [4]byte
	binary.BigEndian.PutUint32(length[:], uint32(2+len(kind)+len(obj.event)))
	w.Write(length[:])
	w.WriteByte(typeField)
	w.WriteByte(byte(len(kind)))
	w.WriteString(string(kind))
	w.Write(obj.event)
}

func (protobufEncoding) status(w io.Writer, status *metav1.Status) error {
	_, err := w.Write(envelope(status, statusKind))
	return err
}

func fieldSize(value []byte) int {
	return len(binary.AppendUvarint(make([]byte, 1, 1+binary.MaxVarintLen64), uint64(len(value)))) + len(value)
}

func writeField(w *bufio.Writer, field byte, value []byte) {
	w.Write(binary.AppendUvarint(append(w.AvailableBuffer(), field), uint64(len(value))))
	w.Write(value)
}
