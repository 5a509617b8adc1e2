package web

import (
	"net/http"
)

// recorder is the one wrapper around an answer: it remembers what the access log and the metrics need, and
// whether anything was sent, which decides if a panic can still be answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	// actor is who was authenticated, for the log; empty where nobody was.
	actor string
	// stream is set for long polls and event streams, whose duration says nothing of the server.
	stream bool
}

// WriteHeader passes the first status on. 1xx are not the answer yet.
func (w *recorder) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	if status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach deadlines and Flush.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// recorderOf finds the recorder under other wrappers; nil where there is none.
func recorderOf(w http.ResponseWriter) *recorder {
	for {
		if rec, ok := w.(*recorder); ok {
			return rec
		}
		inner, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return nil
		}
		w = inner.Unwrap()
	}
}
