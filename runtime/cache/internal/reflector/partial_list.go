package reflector

import (
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// partialList is a list under way, with all requests until one of them succeeds.
type partialList struct {
	listed listed.List
	trail  protocol.PageTrail
	// began is the number of Settings.Changes before the request.
	began uint64
	// cause is why the collection is listed again. It is empty for the first list.
	cause string
}

// restart drops the pages that were read.
func (l *partialList) restart() {
	l.listed.Clear()
	l.trail.Begin()
}

// addPage adds the items of a page. isNew is false if the page is empty or seems to repeat an earlier one.
func (l *partialList) addPage(page *wire.Page) (isNew bool, err error) {
	first := page.First
	if first == "" && len(page.Items) > 0 {
		first = listed.NameOf(&page.Items[0]).String()
	}
	if isNew, err = l.trail.Note(page.Continue, first); err == nil {
		l.listed.AddPage(page.Items)
	}
	return isNew, err
}
