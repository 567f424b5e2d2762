package main

import (
	"regexp"
	"strings"
)

var (
	makeCommand = regexp.MustCompile(`(?:^|[;&|(]\s*|\$ )(?:\w+=\S*\s+)*make((?:\s+[^\s;&|)#]+)+)`)
	targetName  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
)

// checkCommands checks the make targets in code spans and in blocks that are not of another language.
func (r *repository) checkCommands(p *page) {
	commands := p.spans
	for _, b := range p.blocks {
		if b.language == "sh" || b.language == "" {
			for i, command := range strings.Split(b.code, "\n") {
				commands = append(commands, span{command, b.line + 1 + i})
			}
		}
	}
	for _, c := range commands {
		for _, match := range makeCommand.FindAllStringSubmatch(strings.TrimSpace(c.code), -1) {
			for word := range strings.FieldsSeq(match[1]) {
				if strings.Contains(word, "\"") || word == "-C" {
					break // the words of a value, or the Makefile of another folder
				}
				if targetName.MatchString(word) && !strings.Contains("\n"+string(r.texts["Makefile"]), "\n"+word+":") {
					r.add(p.name, c.line, "the Makefile has no target %s; write a target that make help lists", word)
				}
			}
		}
	}
}
