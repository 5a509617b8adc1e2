package control

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"odysseus/fleet"
)

// wholeFields are compared and shown as one value: that a residency was dropped is to be seen at a glance.
var wholeFields = []string{"spec.placement.residency"}

// diff lists the fields in which two objects differ, by their JSON forms, in the order of the paths. A nil object
// is one that is not there. It is how the audit and the console tell what a write changed.
func diff(before, after any) ([]fleet.Change, error) {
	old, err := tree(before)
	if err != nil {
		return nil, err
	}
	next, err := tree(after)
	if err != nil {
		return nil, err
	}
	var changes []fleet.Change
	compare("", old, next, &changes)
	return changes, nil
}

func tree(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("marshal %T: %w", v, err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		return nil, fmt.Errorf("unmarshal %T: %w", v, err)
	}
	return out, nil
}

func compare(path string, before, after any, changes *[]fleet.Change) {
	if !slices.Contains(wholeFields, path) {
		oldMap, oldIsMap := before.(map[string]any)
		newMap, newIsMap := after.(map[string]any)
		if (oldIsMap || before == nil) && (newIsMap || after == nil) && len(oldMap)+len(newMap) > 0 {
			keys := slices.Collect(maps.Keys(oldMap))
			keys = slices.AppendSeq(keys, maps.Keys(newMap))
			slices.Sort(keys)
			for _, key := range slices.Compact(keys) {
				compare(fieldPath(path, key), oldMap[key], newMap[key], changes)
			}
			return
		}
		oldList, oldIsList := before.([]any)
		newList, newIsList := after.([]any)
		if (oldIsList || before == nil) && (newIsList || after == nil) && len(oldList)+len(newList) > 0 {
			for i := range max(len(oldList), len(newList)) {
				compare(path+"["+strconv.Itoa(i)+"]", at(oldList, i), at(newList, i), changes)
			}
			return
		}
	}
	if was, is := text(before), text(after); was != is {
		*changes = append(*changes, fleet.Change{Field: path, Before: was, After: is})
	}
}

// fieldPath writes paths as refusals do: keys with a dot or slash stand in brackets.
func fieldPath(path, key string) string {
	switch {
	case strings.ContainsAny(key, "./[]"):
		return path + "[" + key + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// text of a value: a string's content, anything else as JSON; empty for nothing.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprint(v) // cannot be: it was just unmarshalled
		}
		return string(raw)
	}
}
