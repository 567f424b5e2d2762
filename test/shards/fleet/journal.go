package fleet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/test/shards/activity"
)

// entry is a line of a journal. testdata/record.go of package shards writes it.
type entry struct {
	What   string // begin or end
	ID     int64
	Object string // NAMESPACE/NAME, of a begin
	Seen   string // the resourceVersion, of a begin
	Fenced bool   // of an end
	Nanos  int64  // since 1970
}

// journal reads what a process notes about its work.
type journal struct {
	process string
	log     *activity.Log

	mu   sync.Mutex // guards the fields below
	file *os.File   // nil after close
	rest []byte     // of a line whose end is not there yet
}

func openJournal(file, process string, log *activity.Log) (*journal, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return &journal{process: process, log: log, file: f}, nil
}

// read adds what the process has noted since the last call to the Log.
func (j *journal) read() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	reader := bufio.NewReaderSize(j.file, 1<<16)
	for {
		part, err := reader.ReadBytes('\n')
		j.rest = append(j.rest, part...)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line := bytes.TrimSpace(j.rest)
		j.rest = j.rest[:0]
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("the journal of %s has the line %q: %w", j.process, line, err)
		}
		switch at := time.Unix(0, e.Nanos); e.What {
		case "begin":
			j.log.Began(j.process, e.ID, e.Object, e.Seen, at)
		case "end":
			j.log.Ended(j.process, e.ID, e.Fenced, at)
		default:
			return fmt.Errorf("the journal of %s has the line %q, which is neither a begin nor an end", j.process, line)
		}
	}
}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	file := j.file
	j.file = nil
	return file.Close()
}
