package shell

import (
	"slices"
	"strings"
	"testing"
)

// TestWords runs a script up to its last command, which is called show.
func TestWords(t *testing.T) {
	for script, want := range map[string][]string{
		"show a 'b c' \"d e\" f\\ g":          {"a", "b c", "d e", "f g"},
		"show a \\\n  b # c":                  {"a", "b"},
		"X='a b'\nshow $X \"$X\" \"\" x${X}y": {"a", "b", "a b", "", "xa", "by"},
		"show $Y":                             {"\x00Y\x00"},
		"show ${Y:-$(pwd)/x} ${Y:-}z":         {"/repo/mod/x", "z"},
		"X=(a b)\nX+=(c)\nshow \"${X[@]}\"":   {"a", "b", "c"},
		"X=(a b)\nY=( \"${X[@]/#/m/}\" )\nshow \"$( IFS=$','; echo \"${Y[*]}\" )\" \"${Y[@]}\"": {"m/a,m/b", "m/a", "m/b"},
		"gen=$1\nshow \"$gen\"":                                                                     {"\x00gen\x00"},
		"X=a\nX+=b\nreadonly Z=\"$X c\"\nshow $Z":                                                   {"ab", "c"},
		"R=$(dirname \"${BASH_SOURCE[0]}\")/..\nshow ${R}/apis":                                     {"/repo/mod/hack/../apis"},
		"R=\"$( cd \"$( dirname \"${BASH_SOURCE[0]}\" )/..\" >/dev/null && pwd )\"\nshow $R":        {"/repo/mod"},
		"R=$(unset CDPATH && cd $(dirname \"${BASH_SOURCE[0]}\")/.. && pwd)\nshow $R":               {"/repo/mod"},
		"D=`dirname $0`\nshow $(realpath \"$D/..\") $(git rev-parse --show-toplevel) $(go list -m)": {"/repo/mod", "/repo", "example.com/mod"},
		"cd \"$(dirname \"$0\")\"\nshow $PWD":                                                       {"/repo/mod/hack"},
		"show $(go env GOPATH)/x":                                                                   {"\x00$(go…)\x00/x"},
		"cat <<EOF\nshow no\nEOF\nif true; then\n  show yes\nfi":                                    {"yes"},
		"for v in a b; do show $v; done":                                                            {"\x00v\x00"},
		"f() { show $1 \"$@\"; }":                                                                   {"\x001\x00", "\x00@\x00"},
		"show <(go run ./x y) 2>&1":                                                                 {"<(go run ./x y)", "2>&1"},
		"A=b show $A":                                                                               {"\x00A\x00"},
	} {
		s := Scope{File: "/repo/mod/hack/run.sh", Repository: "/repo", ModulePath: "example.com/mod", Dir: "/repo/mod"}
		var got []string
		for _, command := range Parse(script) {
			if at := slices.Index(command.Words, "show"); at >= 0 {
				command.Words = command.Words[at:]
				got = s.Words(command)[1:]
			}
			s.Run(command)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\nhas the words %q, want %q", script, got, want)
		}
	}
}

func TestMake(t *testing.T) {
	s := Scope{File: "/mod/Makefile", Dir: "/mod", Repository: "/mod", Make: true}
	s.Set("BIN", "/mod/bin")
	for _, test := range []struct {
		recipe string
		want   []string
	}{
		{"@$(BIN)/client-gen --x=${BIN} $(shell pwd) $$(pwd) $(NO)", []string{"@/mod/bin/client-gen", "--x=/mod/bin", "/mod", "/mod", "\x00NO\x00"}},
		{"a $(CURDIR)/b \"$$HOME\"", []string{"a", "/mod/b", "\x00HOME\x00"}},
	} {
		if got := s.Words(Parse(test.recipe)[0]); !slices.Equal(got, test.want) {
			t.Errorf("%s has the words %q, want %q", test.recipe, got, test.want)
		}
	}
}

func TestPositions(t *testing.T) {
	const text = "# comment\nset -e\n\na b \\\n  'c\nd' && (e)\n"
	var got []string
	for _, c := range Parse(text) {
		got = append(got, strings.Repeat("l", c.Line)+":"+text[c.Start:c.End])
	}
	if want := []string{"ll:set -e", "llll:a b \\\n  'c\nd'", "llllll:e"}; !slices.Equal(got, want) {
		t.Errorf("the commands are %q, want %q", got, want)
	}
}

// FuzzParse looks for texts that are read without an end, or beyond their end.
func FuzzParse(f *testing.F) {
	f.Add("a $(b \"${c:-`d`}\" <<E\nE\n) 'e")
	f.Fuzz(func(_ *testing.T, text string) {
		for _, inMake := range []bool{false, true} {
			s := Scope{File: "/a/b", Dir: "/a", Make: inMake}
			for _, command := range Parse(text) {
				s.Words(command)
				s.Run(command)
			}
		}
	})
}
