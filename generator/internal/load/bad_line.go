package load

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
)

// lineSearch finds the line with the mistake in YAML that does not parse: up to the
// line before it, the text parses. The parser itself often names the line before the
// mistake, or the one where a whole mapping begins.
type lineSearch struct {
	content []byte
	// ends are the offsets at which lines end.
	ends []int
	// parsed counts the bytes that the search has given to the parser.
	parsed int
}

// limit is how many bytes the search parses at most. It is enough for all lines of a
// small file, and for a few of a large one.
func (s *lineSearch) limit() int { return 1<<20 + 6*len(s.content) }

// badLine returns the number of the line. If it does not find it within the limit, it
// returns the one that err names.
func (s *lineSearch) badLine(err error) int {
	for offset, c := range s.content {
		if c == '\n' || offset == len(s.content)-1 {
			s.ends = append(s.ends, offset+1)
		}
	}
	// Most mistakes are in the last lines that the parser reads.
	read := s.linesRead()
	count, found := s.lastParsing(read-1, 0, s.limit()*2/3)
	if !found {
		// Others are where a quote or a bracket is opened that is not closed, which is the
		// line that the parser names.
		named := lineOf(err)
		if count, found = s.lastParsing(min(named+1, read-1), max(named-3, 0), s.limit()); !found {
			return min(named, len(s.ends))
		}
	}
	return min(count+1, len(s.ends))
}

// lastParsing returns the largest number of lines, from from down to to, that parse. No
// lines always parse. It has not found it if the search would parse more than limit.
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

// linesRead returns how many lines the parser reads until it finds the mistake.
func (s *lineSearch) linesRead() int {
	reader := &lineReader{search: s}
	_, _ = parseYAML(reader)
	return reader.lines
}

// lineReader gives the parser one line after the other.
type lineReader struct {
	search *lineSearch
	// lines is the number of those that were read, at least in part, and offset is how
	// much of the text was.
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

var lineInError = regexp.MustCompile(`^yaml: line (\d+): `)

// lineOf returns the line that an error of the parser names, or 1.
func lineOf(err error) int {
	if match := lineInError.FindStringSubmatch(err.Error()); match != nil {
		if line, err := strconv.Atoi(match[1]); err == nil && line > 0 {
			return line
		}
	}
	return 1
}
