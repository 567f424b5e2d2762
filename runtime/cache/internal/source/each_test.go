package source

import (
	"context"
	"errors"
	"io"
	"testing"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// batches is a Stream of batches, and then io.EOF.
type batches [][]wire.Event

func (b *batches) Next(_ context.Context, reuse []wire.Event) ([]wire.Event, error) {
	if len(*b) == 0 {
		return reuse[:0], io.EOF
	}
	next := (*b)[0]
	*b = (*b)[1:]
	return append(reuse[:0], next...), nil
}

func (*batches) Stop() {}

// TestEachKeepsTheOrderOfEventsAndErrors: no event before an error is lost, and none after it is delivered.
func TestEachKeepsTheOrderOfEventsAndErrors(t *testing.T) {
	errBad := errors.New("bad")
	for name, test := range map[string]struct {
		of      batches
		want    string // the versions, with a space after each batch
		wantErr error
	}{
		"no error":               {batches{{{ResourceVersion: "1"}, {ResourceVersion: "2"}}, {{ResourceVersion: "3"}}}, "12 3 ", io.EOF},
		"in a batch":             {batches{{{ResourceVersion: "1"}, {ResourceVersion: "x"}, {ResourceVersion: "2"}}, {{ResourceVersion: "3"}}}, "1 ", errBad},
		"at a batch's beginning": {batches{{{ResourceVersion: "1"}}, {{ResourceVersion: "x"}, {ResourceVersion: "2"}}}, "1 ", errBad},
	} {
		t.Run(name, func(t *testing.T) {
			stream := Each(&test.of, func(event *wire.Event) error {
				if event.ResourceVersion == "x" {
					return errBad
				}
				event.Type = watch.Added
				return nil
			})
			got, err := "", error(nil)
			for {
				var events []wire.Event
				if events, err = stream.Next(t.Context(), nil); err != nil {
					break
				}
				for _, event := range events {
					if got += event.ResourceVersion; event.Type != watch.Added {
						t.Errorf("event %s is not changed", event.ResourceVersion)
					}
				}
				got += " "
				for _, rest := range events[len(events):cap(events)] {
					if rest.ResourceVersion != "" {
						t.Error("the memory of a batch keeps what was not delivered")
					}
				}
			}
			if got != test.want || err != test.wantErr {
				t.Errorf("the events are %q, and then %v, want %q and %v", got, err, test.want, test.wantErr)
			}
			if again, err := stream.Next(t.Context(), nil); len(again) > 0 || err != test.wantErr {
				t.Errorf("after the end there are %d events, and %v", len(again), err)
			}
		})
	}
}
