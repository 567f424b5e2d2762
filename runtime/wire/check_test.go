package wire

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
)

// TestReferenceDecodesTheSame decodes with the plan and with the serializer, also without some fields.
func TestReferenceDecodesTheSame(t *testing.T) {
	for name, options := range map[string]Options{
		"all":  {},
		"some": {Fields: []string{"metadata.labels", "spec.color"}, WithoutTypeMeta: true},
	} {
		text := []byte(textOf(t, newWidget(5)))
		usual, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).DecodeItem(text)
		if err != nil {
			t.Fatal(err)
		}
		options.Reference = true
		options.Check = &Check{OneIn: 1, Compare: func(c Compared) { t.Errorf("%s: compared %v", name, c) }}
		got, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).DecodeItem(text)
		if err != nil || !reflect.DeepEqual(got, usual) {
			t.Errorf("%s: got %+v (%v), want %+v", name, got, err, usual)
		}
		options.Check.Close()
	}
}

// TestCheckComparesOneAtATime decodes objects while one is compared, and after it.
func TestCheckComparesOneAtATime(t *testing.T) {
	entered, leave := make(chan string), make(chan struct{})
	check := &Check{OneIn: 3, Compare: func(c Compared) {
		if c.Err != nil || c.IsView || c.Got == c.Want || !reflect.DeepEqual(c.Got, c.Want) {
			t.Errorf("compared %+v", c)
		}
		entered <- c.Got.GetName()
		<-leave
	}}
	d := NewDecoder(reflect.TypeFor[*widget](), Options{Check: check, ReadOnly: true}, nil)
	decode := func(from, to int) {
		t.Helper()
		for n := from; n <= to; n++ {
			if _, err := d.Decode([]byte(textOf(t, newWidget(n)))); err != nil {
				t.Fatal(err)
			}
		}
	}
	decode(1, 3)
	if got, want := <-entered, newWidget(3).Name; got != want {
		t.Errorf("compared %s, want %s", got, want)
	}
	decode(4, 8) // the sixth is not compared
	leave <- struct{}{}
	check.running.Wait()
	decode(9, 9)
	if got, want := <-entered, newWidget(9).Name; got != want {
		t.Errorf("compared %s, want %s", got, want)
	}
	var closing sync.WaitGroup
	closing.Go(check.Close)
	leave <- struct{}{}
	closing.Wait()
	decode(10, 12)
}

// lying is a codec that reads one field wrong.
type lying struct {
	codec
	refuses bool
}

func (l lying) Decode(frame []byte) (any, bool) {
	obj, ok := l.codec.Decode(frame)
	obj.(*widget).Spec.Color += "ish"
	return obj, ok
}

func (l lying) Unmarshal(frame []byte) (any, error) {
	if l.refuses {
		return nil, errors.New("no")
	}
	return l.codec.Unmarshal(frame)
}

// TestCheckPassesDifferences compares with a decoder that is wrong, and with a serializer that refuses the text.
func TestCheckPassesDifferences(t *testing.T) {
	var got []Compared
	check := &Check{OneIn: 1, Compare: func(c Compared) { got = append(got, c) }}
	d := NewDecoder(reflect.TypeFor[*widget](), Options{Check: check}, nil)
	for _, refuses := range []bool{false, true} {
		if _, err := d.decode(lying{d.json, refuses}, []byte(textOf(t, newWidget(1))), &howToDecode{}); err != nil {
			t.Fatal(err)
		}
		check.running.Wait()
	}
	if len(got) != 2 || got[0].Want.(*widget).Spec.Color+"ish" != got[0].Got.(*widget).Spec.Color || got[1].Want != nil || fmt.Sprint(got[1].Err) != "no" {
		t.Errorf("got %+v", got)
	}
}
