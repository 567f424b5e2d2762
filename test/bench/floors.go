package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
)

// floor is what a row must reach.
type floor struct {
	// Floor is how many times better than the peer the row has to be at least; 0 if the
	// row is for information.
	Floor float64 `json:"floor"`
	// Reach, if it is not 0, is a goal above Floor.
	Reach float64 `json:"reach,omitempty"`
	// Most, if it is not nil, is how much Ours may be at most, whatever the peer does.
	Most *float64 `json:"most,omitempty"`
}

// floors are by name of the row. At has other floors for some numbers of objects.
type floors map[string]struct {
	floor
	At map[string]float64
}

func readFloors(file string) (floors, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var f floors
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return f, nil
}

// without returns the names of floors that no row has.
func (f floors) without(rows []Row) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(name string) bool {
		return slices.ContainsFunc(rows, func(r Row) bool { return r.Name == name })
	})
}

// apply gives each row its floor.
func (f floors) apply(rows []Row) {
	for i := range rows {
		row := &rows[i]
		row.floor = f[row.Name].floor
		if at, ok := f[row.Name].At[strconv.Itoa(row.Objects)]; ok {
			row.Floor = at
		}
	}
}
