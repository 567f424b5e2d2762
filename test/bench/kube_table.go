package main

import (
	"fmt"
	"strings"
)

// columns are those of wideMarkdown: the informers, with the title of each.
var columns = []struct{ name, title string }{
	{theirDefault, "client-go"},
	{theirList, "client-go, LIST"},
	{ourDefault, "ours"},
	{ourOther, "ours, the other way"},
}

// wideMarkdown is a table of rows that compare more than ours and the peer, with a line for
// each number of objects. Rows without columns compare only these.
func wideMarkdown(rows []Row) string {
	var text strings.Builder
	text.WriteString("| what |")
	for _, column := range columns {
		text.WriteString(" " + column.title + " |")
	}
	text.WriteString(" the server's floor | ours is better | floor |\n|---|" + strings.Repeat("---|", len(columns)+3) + "\n")
	for _, row := range rows {
		fmt.Fprintf(&text, "| %s %s |", count(row.Objects), row.Name)
		for _, column := range columns {
			value, ok := row.Columns[column.name]
			switch {
			case ok:
				text.WriteString(" " + row.quantity(value) + " |")
			case row.Columns == nil && column.name == theirDefault:
				text.WriteString(" " + row.quantity(row.Peer) + " |")
			case row.Columns == nil && column.name == ourDefault:
				text.WriteString(" " + row.quantity(row.Ours) + " |")
			default:
				text.WriteString(" |")
			}
		}
		var parts []string
		for _, request := range floorRequests {
			if value, ok := row.Columns[request.name]; ok {
				parts = append(parts, fmt.Sprintf("%s %s", request.name, row.quantity(value)))
			}
		}
		ratio := ""
		if row.Ratio > 0 { // there is none of negative delays
			ratio = "**" + number(row.Ratio) + "×**" + row.remark()
		}
		fmt.Fprintf(&text, " %s | %s | %s |\n", strings.Join(parts, ", "), ratio, row.limits()+row.goal())
	}
	return text.String()
}
