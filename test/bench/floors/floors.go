package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// floor is what a row must reach. The file has a list of floors.
type floor struct {
	// Row is the name of a benchmark without Benchmark and the elements objects=… and side=…. A name that ends with * means the
	// worst of all rows that begin with what is before it.
	Row string `json:"row"`
	// Unit is that of the results, in base units: sec/op and not ns/op.
	Unit string `json:"unit"`
	// Peer is the side that ours is compared with, such as side=client-go. It may be empty if there is only one other side.
	Peer string `json:"peer,omitempty"`
	// Against, if it is not empty, is the row of the peer. By default it is the same row.
	Against string `json:"against,omitempty"`
	// Least is how many times better than the peer ours has to be. At has other numbers for some numbers of objects.
	Least float64            `json:"least,omitempty"`
	At    map[string]float64 `json:"at,omitempty"`
	// Goal is as Least, but a row that does not reach it is only marked.
	Goal float64 `json:"goal,omitempty"`
	// Most is how much ours may be, whatever the peer is.
	Most *float64 `json:"most,omitempty"`
}

func readFloors(file string) ([]floor, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var floors []floor
	if err := decoder.Decode(&floors); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return floors, nil
}
