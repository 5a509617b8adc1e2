package web

import (
	"context"
	"net/http"
	"time"
)

// timeouts bound how long the network may take; what they protect is the connection's goroutine.
type timeouts struct {
	header time.Duration // until the whole header has arrived
	read   time.Duration // until the whole body has arrived
	write  time.Duration // until the whole answer has been sent; for a stream, one write
	idle   time.Duration // between two requests
	stop   time.Duration // for requests in flight once the server stops
}

var defaultTimeouts = timeouts{
	header: 10 * time.Second,
	read:   30 * time.Second,
	write:  30 * time.Second,
	idle:   2 * time.Minute,
	stop:   8 * time.Second,
}

// withDeadlines gives an ordinary request its deadlines. They go with the connection, so net/http's own
// per-request ones are off: those would cut a long poll as well. Recorders in tests have no connection and
// no deadlines, hence the dropped errors.
func withDeadlines(t timeouts) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, now := http.NewResponseController(w), time.Now()
			if r.Body != nil && r.Body != http.NoBody {
				_ = c.SetReadDeadline(now.Add(t.read))
			}
			_ = c.SetWriteDeadline(now.Add(t.write))
			next.ServeHTTP(w, r)
		})
	}
}

// withStream exempts a route that answers late or bit by bit: each write has a deadline of its own, and the
// request ends when the server stops.
func withStream(t timeouts, stopping context.Context) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if rec := recorderOf(w); rec != nil {
				rec.stream = true
			}
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(stopping, cancel)()
			c := http.NewResponseController(w)
			_ = c.SetReadDeadline(time.Time{})
			_ = c.SetWriteDeadline(time.Time{})
			next.ServeHTTP(&streamWriter{ResponseWriter: w, controller: c, within: t.write}, r.WithContext(streamContext{ctx, stopping}))
		})
	}
}

// streamContext says why a stream ended: by the server's stop its time is over, and the client is still there to
// be told so (503); cancelled, it is not.
type streamContext struct {
	context.Context
	stopping context.Context
}

func (c streamContext) Err() error {
	err := c.Context.Err()
	if err != nil && c.stopping.Err() != nil {
		return context.DeadlineExceeded
	}
	return err
}

// streamWriter moves the deadline before each write and flush: a reader that stalls is cut, one that listens
// may do so for ever.
type streamWriter struct {
	http.ResponseWriter
	controller *http.ResponseController
	within     time.Duration
}

func (w *streamWriter) Write(b []byte) (int, error) {
	_ = w.controller.SetWriteDeadline(time.Now().Add(w.within))
	return w.ResponseWriter.Write(b)
}

// FlushError is what http.ResponseController calls.
func (w *streamWriter) FlushError() error {
	_ = w.controller.SetWriteDeadline(time.Now().Add(w.within))
	return w.controller.Flush()
}

func (w *streamWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
