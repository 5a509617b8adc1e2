package control

import "odysseus/fleet"

// Page is one page of a list; Continue is the cursor of the next, empty at the end.
type Page[T any] struct {
	Items    []T
	Continue string
}

// WriteOptions are how a write is asked for.
type WriteOptions struct {
	// DryRun checks everything and changes nothing, no audit entry either.
	DryRun bool
	// IfMatch is the resourceVersion that the caller saw; another one stored is fleet.ErrStale. Empty and "*"
	// match whatever is there.
	IfMatch string
}

// Written is what a write left behind; of a dry run, what it would have. Where the refusals beside it are not
// empty it holds nothing.
type Written[T any] struct {
	Object   T
	Warnings []fleet.Warning
	// Created says that the object was not there before.
	Created bool
}

// matches compares a version that the caller saw with the one stored.
func matches(seen, stored string) bool { return seen == "" || seen == "*" || seen == stored }
