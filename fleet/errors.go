package fleet

import "errors"

// What a store answers. Match with errors.Is; nothing else about a store's error is a promise.
var (
	// ErrNotFound: no such object, or one of another tenant.
	ErrNotFound = errors.New("not found")
	// ErrExists: the name is taken.
	ErrExists = errors.New("already exists")
	// ErrStale: the object changed since the version that the caller saw.
	ErrStale = errors.New("changed in between")
	// ErrCursor: ListOptions.After is none that the list answered.
	ErrCursor = errors.New("not a cursor of this list")
	// ErrBusy: somebody else holds the database's write lock; try again (503).
	ErrBusy = errors.New("database busy")
	// ErrFull: the disk is full or the quota used up (507).
	ErrFull = errors.New("no space left for the database")
	// ErrReadOnly: the database cannot be written (503).
	ErrReadOnly = errors.New("database read-only")
)
