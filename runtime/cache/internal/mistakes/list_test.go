package mistakes

import (
	"errors"
	"testing"
)

func TestList(t *testing.T) {
	var l List
	if l.Err() != nil || len(l.Unlogged()) != 0 || l.Add(nil) {
		t.Error("an empty list has a mistake")
	}
	a, b := errors.New("a"), errors.New("b")
	if !l.Add(a) || l.Add(errors.New("a")) {
		t.Error("a mistake is not new once")
	}
	if logged := l.Unlogged(); len(logged) != 1 || logged[0] != a {
		t.Errorf("to be logged is %v", logged)
	}
	if !l.Add(errors.Join(a, errors.Join(b, nil))) {
		t.Error("a joined mistake is not new")
	}
	if logged := l.Unlogged(); len(logged) != 1 || logged[0] != b {
		t.Errorf("then is to be logged %v", logged)
	}
	if err := l.Err(); err == nil || err.Error() != "a\nb" {
		t.Errorf("all mistakes are %v", err)
	}
}
