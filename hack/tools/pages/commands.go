package main

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	targetLine  = regexp.MustCompile(`(?m)^([a-z0-9-]+):`)
	makeCommand = regexp.MustCompile(`(?:^|[;&|(]\s*|\$ )(?:\w+=\S*\s+)*make((?:\s+[^\s;&|)#]+)+)`)
	targetName  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
)

func targetsOf(makefile []byte) map[string]bool {
	targets := map[string]bool{}
	for _, match := range targetLine.FindAllSubmatch(makefile, -1) {
		targets[string(match[1])] = true
	}
	return targets
}

// checkCommands checks the make targets in code spans and in blocks of shell commands.
func checkCommands(p *page, targets map[string]bool) (mistakes []mistake) {
	for _, s := range p.spans {
		mistakes = append(mistakes, checkCommand(p.name, s.line, s.code, targets)...)
	}
	for _, b := range p.blocks {
		if b.language != "sh" && b.language != "bash" && b.language != "console" && b.language != "" {
			continue
		}
		for i, command := range strings.Split(b.code, "\n") {
			mistakes = append(mistakes, checkCommand(p.name, b.line+1+i, command, targets)...)
		}
	}
	return mistakes
}

func checkCommand(file string, line int, command string, targets map[string]bool) (mistakes []mistake) {
	for _, match := range makeCommand.FindAllStringSubmatch(strings.TrimSpace(command), -1) {
		for word := range strings.FieldsSeq(match[1]) {
			if strings.Contains(word, "\"") || word == "-C" {
				break // the words of a value, or the Makefile of another folder
			}
			if targetName.MatchString(word) && !targets[word] {
				mistakes = append(mistakes, mistake{file, line, fmt.Sprintf("the Makefile has no target %s; write a target that make help lists", word)})
			}
		}
	}
	return mistakes
}
