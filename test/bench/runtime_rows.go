package main

import (
	"fmt"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// Reaches of informers.
const (
	reachSyncStreaming  = 1.0 / 10
	reachSyncList       = 1.0 / 4
	reachPeakStreaming  = 0.8
	reachPeakList       = 0.55
	reachPeakView       = 1.0 / 3
	reachHeap           = 0.93
	reachHeapUnmanaged  = 0.8
	reachHeapView       = 1.0 / 4
	reachRelist         = 1.0 / 30
	reachUpdates        = 1.0 / 5
	megabyte            = 1e6
	microsecondsASecond = 1e6
)

// figure is read off a sample.
type figure func(*sample) float64

func syncTime(s *sample) float64      { return s.Sync.Seconds }
func syncCPU(s *sample) float64       { return s.Sync.CPUSeconds }
func peakRSS(s *sample) float64       { return float64(s.peak) / megabyte }
func heap(s *sample) float64          { return s.HeapPerObject }
func unchangedTime(s *sample) float64 { return s.Unchanged.Seconds }
func unchangedCPU(s *sample) float64  { return s.Unchanged.CPUSeconds }
func changedTime(s *sample) float64   { return s.Changed.Seconds }
func changedCPU(s *sample) float64    { return s.Changed.CPUSeconds }
func updateTime(s *sample) float64 {
	return s.Updates.Seconds / float64(s.Updates.Updates) * microsecondsASecond
}
func updateCPU(s *sample) float64 {
	return s.Updates.CPUSeconds / float64(s.Updates.Updates) * microsecondsASecond
}

// of returns a figure of all samples of a subject.
func (b *informers) of(side, mode, scenario, fields string, f figure) []float64 {
	var values []float64
	for _, s := range b.samples[subject{side, mode, scenario, fields}] {
		values = append(values, f(&s))
	}
	return values
}

func (b *informers) rows() []Row {
	rows := append(b.syncRows(report.Streaming, reachSyncStreaming, reachPeakStreaming), b.syncRows(report.List, reachSyncList, reachPeakList)...)
	rows = append(rows, b.viewRows()...)
	rows = append(rows, b.heapRows()...)
	for _, mode := range []string{report.Streaming, report.List} {
		rows = append(rows, b.relistRows(mode)...)
	}
	for _, mode := range []string{report.Streaming, report.List} {
		name := "watch of updates, after " + modeName(mode)
		both := func(f figure) (ours, theirs []float64) {
			return b.of(report.Ours, mode, report.Changes, report.AllFields, f), b.of(report.Theirs, mode, report.Changes, report.AllFields, f)
		}
		ours, theirs := both(updateTime)
		rows = append(rows, newRow(name+": time per event", "µs", ours, theirs, reachUpdates))
		ours, theirs = both(updateCPU)
		rows = append(rows, newRow(name+": CPU time per event", "µs", ours, theirs, 0))
	}
	return rows
}

func modeName(mode string) string {
	if mode == report.List {
		return "LIST"
	}
	return mode
}

func (b *informers) syncRows(mode string, time, peak float64) []Row {
	name := "first sync, " + modeName(mode)
	row := func(what, unit string, f figure, reach float64) Row {
		return newRow(name+": "+what, unit, b.of(report.Ours, mode, report.Sync, report.AllFields, f), b.of(report.Theirs, mode, report.Sync, report.AllFields, f), reach)
	}
	return []Row{
		row("time", "s", syncTime, time),
		row("CPU time", "s", syncCPU, 0),
		row("peak RSS", "MB", peakRSS, peak),
	}
}

// viewRows compare a view with whole objects: client-go has nothing like it.
func (b *informers) viewRows() []Row {
	row := func(what, unit string, f figure, reach float64) Row {
		return newRow("first sync of a view, streaming: "+what, unit,
			b.of(report.Ours, report.Streaming, report.Sync, report.View, f), b.of(report.Theirs, report.Streaming, report.Sync, report.AllFields, f), reach)
	}
	return []Row{
		row("time", "s", syncTime, 0),
		row("CPU time", "s", syncCPU, 0),
		row("peak RSS", "MB", peakRSS, reachPeakView),
	}
}

func (b *informers) heapRows() []Row {
	const unit = "B"
	whole := b.of(report.Theirs, report.Streaming, report.Sync, report.AllFields, heap)
	ours := func(fields string) []float64 { return b.of(report.Ours, report.Streaming, report.Sync, fields, heap) }
	transformed := func(fields string) []float64 { return b.of(report.Theirs, report.List, report.Sync, fields, heap) }
	name := "live heap per object"
	return []Row{
		newRow(name, unit, ours(report.AllFields), whole, reachHeap),
		newRow(name+", without managedFields", unit, ours(report.Unmanaged), whole, reachHeapUnmanaged),
		newRow(name+", without managedFields, against a transform", unit, ours(report.Unmanaged), transformed(report.Unmanaged), 0),
		newRow(name+", view", unit, ours(report.View), whole, reachHeapView),
		newRow(name+", view, against a transform", unit, ours(report.View), transformed(report.View), 0),
	}
}

func (b *informers) relistRows(mode string) []Row {
	name := fmt.Sprintf("relist, %s", modeName(mode))
	ours := func(f figure) []float64 { return b.of(report.Ours, mode, report.Changes, report.AllFields, f) }
	theirs := func(f figure) []float64 { return b.of(report.Theirs, mode, report.Changes, report.AllFields, f) }
	first := b.of(report.Theirs, mode, report.Sync, report.AllFields, syncTime)
	return []Row{
		newRow(name+", unchanged, against a first sync: time", "s", ours(unchangedTime), first, reachRelist),
		newRow(name+", unchanged: time", "s", ours(unchangedTime), theirs(unchangedTime), 0),
		newRow(name+", unchanged: CPU time", "s", ours(unchangedCPU), theirs(unchangedCPU), 0),
		newRow(name+", 1% changed: time", "s", ours(changedTime), theirs(changedTime), 0),
		newRow(name+", 1% changed: CPU time", "s", ours(changedCPU), theirs(changedCPU), 0),
	}
}
