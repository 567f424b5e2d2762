package main

import (
	"fmt"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

const (
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
	rows := append(b.syncRows(report.Streaming), b.syncRows(report.List)...)
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
		rows = append(rows, newRow(name+": time per event", "µs", ours, theirs))
		ours, theirs = both(updateCPU)
		rows = append(rows, newRow(name+": CPU time per event", "µs", ours, theirs))
	}
	for i := range rows {
		rows[i].Objects = b.objects
	}
	return rows
}

func modeName(mode string) string {
	if mode == report.List {
		return "LIST"
	}
	return mode
}

func (b *informers) syncRows(mode string) []Row {
	name := "first sync, " + modeName(mode)
	row := func(what, unit string, f figure) Row {
		return newRow(name+": "+what, unit, b.of(report.Ours, mode, report.Sync, report.AllFields, f), b.of(report.Theirs, mode, report.Sync, report.AllFields, f))
	}
	return []Row{
		row("time", "s", syncTime),
		row("CPU time", "s", syncCPU),
		row("peak RSS", "MB", peakRSS),
	}
}

// viewRows compare a view with whole objects: client-go has nothing like it.
func (b *informers) viewRows() []Row {
	row := func(what, unit string, f figure) Row {
		return newRow("first sync of a view, streaming: "+what, unit,
			b.of(report.Ours, report.Streaming, report.Sync, report.View, f), b.of(report.Theirs, report.Streaming, report.Sync, report.AllFields, f))
	}
	return []Row{
		row("time", "s", syncTime),
		row("CPU time", "s", syncCPU),
		row("peak RSS", "MB", peakRSS),
	}
}

func (b *informers) heapRows() []Row {
	const unit = "B"
	whole := b.of(report.Theirs, report.Streaming, report.Sync, report.AllFields, heap)
	ours := func(fields string) []float64 { return b.of(report.Ours, report.Streaming, report.Sync, fields, heap) }
	transformed := func(fields string) []float64 { return b.of(report.Theirs, report.List, report.Sync, fields, heap) }
	name := "live heap per object"
	return []Row{
		newRow(name, unit, ours(report.AllFields), whole),
		newRow(name+", without managedFields", unit, ours(report.Unmanaged), whole),
		newRow(name+", without managedFields, against a transform", unit, ours(report.Unmanaged), transformed(report.Unmanaged)),
		newRow(name+", view", unit, ours(report.View), whole),
		newRow(name+", view, against a transform", unit, ours(report.View), transformed(report.View)),
	}
}

func (b *informers) relistRows(mode string) []Row {
	name := fmt.Sprintf("relist, %s", modeName(mode))
	ours := func(f figure) []float64 { return b.of(report.Ours, mode, report.Changes, report.AllFields, f) }
	theirs := func(f figure) []float64 { return b.of(report.Theirs, mode, report.Changes, report.AllFields, f) }
	first := b.of(report.Theirs, mode, report.Sync, report.AllFields, syncTime)
	return []Row{
		newRow(name+", unchanged, against a first sync: time", "s", ours(unchangedTime), first),
		newRow(name+", unchanged: time", "s", ours(unchangedTime), theirs(unchangedTime)),
		newRow(name+", unchanged: CPU time", "s", ours(unchangedCPU), theirs(unchangedCPU)),
		newRow(name+", 1% changed: time", "s", ours(changedTime), theirs(changedTime)),
		newRow(name+", 1% changed: CPU time", "s", ours(changedCPU), theirs(changedCPU)),
	}
}
