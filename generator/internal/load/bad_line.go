package load

import (
	"bytes"
	"io"
)

// lineSearch finds the line with the mistake in YAML that does not parse. It is the line after the longest
// beginning that parses.
type lineSearch struct {
	content []byte
	// ends are the offsets after the lines.
	ends []int
	// parsed counts the bytes that the search has given to the parser.
	parsed int
}

// limit is how many bytes the search parses at most. It is enough for all lines of a
// small file, and for a few of a large one.
func (s *lineSearch) limit() int { return 1<<20 + 6*len(s.content) }

// badLine returns the number of the line. If it does not find the line within the limit, it returns the
// line in err.
func (s *lineSearch) badLine(err error) int {
	for offset, c := range s.content {
		if c == '\n' || offset == len(s.content)-1 {
			s.ends = append(s.ends, offset+1)
		}
	}
	// Most mistakes are in the last lines that the parser reads.
	reader := &lineReader{search: s}
	_, _ = parseYAML(reader)
	count, found := s.lastParsing(reader.lines-1, 0, s.limit()*2/3)
	if !found {
		// Others are at a quote or a bracket that is not closed. Its line is the one in err.
		named := lineOf(err)
		if count, found = s.lastParsing(min(named+1, reader.lines-1), max(named-3, 0), s.limit()); !found {
			return min(named, len(s.ends))
		}
	}
	return min(count+1, len(s.ends))
}

// lastParsing returns the largest number of lines, from from down to to, that parse. An empty text always
// parses. found is false if no number does, or if the search would parse more bytes than limit.
func (s *lineSearch) lastParsing(from, to, limit int) (count int, found bool) {
	for count := from; count >= to; count-- {
		if count <= 0 {
			return 0, true
		}
		size := s.ends[count-1]
		if s.parsed += size; s.parsed > limit {
			s.parsed -= size
			return 0, false
		}
		if _, err := parseYAML(bytes.NewReader(s.content[:size])); err == nil {
			return count, true
		}
	}
	return 0, false
}

// lineReader returns one line in each Read.
type lineReader struct {
	search *lineSearch
	// lines is the number of lines that were read at least in part, and offset the number of bytes.
	lines, offset int
}

func (r *lineReader) Read(p []byte) (int, error) {
	if r.offset == len(r.search.content) {
		return 0, io.EOF
	}
	if r.lines == 0 || r.offset == r.search.ends[r.lines-1] {
		r.lines++
	}
	n := copy(p, r.search.content[r.offset:r.search.ends[r.lines-1]])
	r.offset += n
	r.search.parsed += n
	return n, nil
}
