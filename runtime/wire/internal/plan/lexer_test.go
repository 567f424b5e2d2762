package plan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// scanAll gives the scanner text in pieces of size bytes, and returns where the
// value ends, or -1.
func scanAll(text []byte, size int) int {
	var s Scanner
	at := 0
	for at < len(text) {
		n, complete := s.Scan(text[at:min(at+size, len(text))])
		if at += n; complete {
			return at
		}
	}
	if s.scalar {
		return at
	}
	return -1
}

// endOfValue is the same as encoding/json has it; -1 if text does not begin with a
// value.
func endOfValue(text []byte) int {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var value json.RawMessage
	if decoder.Decode(&value) != nil {
		return -1
	}
	return int(decoder.InputOffset())
}

func TestScannerFindsTheEndOfAValue(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `{}x`, `{"a":1}{"b":2}`, `[1,[2,{"a":"]"}],3] `, `"a"`, `"a\"b" `, `"\\" `, `"\\\"" x`,
		`12 `, `12,`, `-1.5e3]`, `true}`, `null`, `{"a":"` + strings.Repeat("x", 100) + `"}`,
		`{"a\\":"b\\\\","c":"\u0041\""}`, `{"a":"{[","b":"}]"}  `, `["\"",""]`, `{"a":tru`, `{"a":"b`, `{"a":"b\`, `[[[]]`,
	} {
		want := endOfValue([]byte(text))
		for size := 1; size <= len(text); size++ {
			if got := scanAll([]byte(text), size); got != want {
				t.Errorf("%s in pieces of %d: ends at %d, want %d", text, size, got, want)
			}
		}
	}
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte(`{"a":[1,"b\"",{}]} {}`), 3)
	f.Add([]byte(`"12345678\\" `), 8)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		want := endOfValue(text)
		if want < 0 || !strings.ContainsRune("{[\"", rune(text[0])) {
			return // numbers that run into each other are two of its values
		}
		if got := scanAll(text, max(1, size%64)); got != want {
			t.Errorf("%q ends at %d, want %d", text, got, want)
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	text := []byte(samplePod)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var s Scanner
		if n, complete := s.Scan(text); n != len(text) || !complete {
			b.Fatal(n, complete)
		}
	}
}

const samplePod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-7d9f8b6c5d-x2x4z","generateName":"web-7d9f8b6c5d-","namespace":"team-a","uid":"5f2b0a0e-9d0e-4a5e-8f3b-0c7d7d0f1a2b","resourceVersion":"123456","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"web","pod-template-hash":"7d9f8b6c5d"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7d9f8b6c5d","uid":"1b1f2a9c-0c0d-4a2f-9f7b-2f1c1a1b1c1d","controller":true,"blockOwnerDeletion":true}],"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:app":{}}}}}]},"spec":{"containers":[{"name":"web","image":"registry.example.com/web:1.2.3","ports":[{"containerPort":8080,"protocol":"TCP"}],"env":[{"name":"MODE","value":"production"}],"resources":{"limits":{"cpu":"500m","memory":"128Mi"}},"terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","nodeName":"node-17","schedulerName":"default-scheduler"},"status":{"phase":"Running","podIP":"10.1.2.3","startTime":"2026-01-02T03:04:06Z"}}`
