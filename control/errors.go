package control

import (
	"errors"
	"fmt"
	"time"
)

// What a method answers beside fleet.ErrNotFound and fleet.ErrStale. Match with errors.Is.
var (
	// ErrUnauthenticated: no or bad credentials (401).
	ErrUnauthenticated = errors.New("not authenticated")
	// ErrForbidden: the role does not suffice, for something the caller may see or an operator's matter (403).
	ErrForbidden = errors.New("forbidden")
	// ErrSignInFailed: the email or the password is wrong, and nothing says which (401).
	ErrSignInFailed = errors.New("sign-in failed")
)

// TooManyError answers a sign-in that came too soon after too many failed ones (429).
type TooManyError struct {
	// RetryAfter is when the next attempt will be judged.
	RetryAfter time.Duration
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("too many failed attempts: retry after %s", e.RetryAfter)
}
