package migrate

import (
	"path/filepath"
	"regexp"
	"slices"
)

// strays returns a note for each folder with the output of a generator that no run replaces.
func (p *findings) strays(runs []*run) (notes []Note) {
	if len(p.unread) > 0 { // whose output it may be
		return nil
	}
	for _, s := range p.files {
		generator := s.generator()
		if generator == "" || slices.ContainsFunc(runs, func(r *run) bool { return r.writes(s.path) }) {
			continue
		}
		note := p.note(position{outputOfFile(s.path), 0}, "it has the output of %s, but no call of it was found; run informer-gen with --informers=client-go and this --output-dir instead, and delete the old files", generator)
		if !slices.ContainsFunc(notes, func(n Note) bool { return n.File == note.File }) {
			notes = append(notes, note)
		}
	}
	return notes
}

// hasGenerated reports whether a module has the output of a generator.
func (p *findings) hasGenerated(m *module) bool {
	return slices.ContainsFunc(p.files, func(s source) bool { return s.generator() != "" && p.moduleOfFile(s.path) == m })
}

// generator returns the replaced generator that wrote a file; "" for none.
func (s source) generator() string {
	match := generatedHeader.FindStringSubmatch(s.text)
	if filepath.Ext(s.path) != ".go" || match == nil {
		return ""
	}
	return match[1] + "-gen"
}

// writes reports whether a run writes to the folder of a file.
func (r *run) writes(file string) bool {
	return slices.ContainsFunc(r.folders(), func(dir string) bool { return isBelow(dir, file) })
}

var outputFolder = regexp.MustCompile(`^(clientset|listers|informers|applyconfigurations?)$`)

// outputOfFile returns the folder that would be the --output-dir of a generated file.
func outputOfFile(file string) string {
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if outputFolder.MatchString(filepath.Base(dir)) {
			return filepath.Dir(dir)
		}
	}
	return filepath.Dir(file)
}

// laterRemovals returns notes about commands that delete the output of a run when the script goes on.
func (p *findings) laterRemovals(r *run) (notes []Note) {
	for _, removal := range p.removals {
		if c := r.calls[0]; removal.file != c.file || removal.start < c.end {
			continue
		}
		for _, path := range removal.paths {
			if isBelow(path, r.output) || r.writes(path) {
				notes = append(notes, p.note(removal.position, "remove this command, which deletes %s after informer-gen wrote it", p.relative(path)))
			}
		}
	}
	return notes
}
