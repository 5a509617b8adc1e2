package web

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"time"

	"odysseus/fleet"
)

// maxBody is the most bytes of a request's body (1 MiB).
const maxBody = 1 << 20

// withBody reads the body whole before the handler runs. So a body that is too long, announced or chunked, is a
// 413 whatever the handler makes of it; a client that dawdles holds no more than a buffer and its connection;
// and a handler's transaction never waits for the network.
func withBody(refuse refuser) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Body == nil || r.Body == http.NoBody {
				next.ServeHTTP(w, r)
				return
			}
			// A compressed body could be small here and huge in the decoder: there is no decoder.
			if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
				refuse(w, r, http.StatusUnsupportedMediaType, fleet.CodeUnsupportedMedia)
				return
			}
			if r.ContentLength > maxBody {
				w.Header().Set("Connection", "close")
				refuse(w, r, http.StatusRequestEntityTooLarge, fleet.CodeBodyTooLarge)
				return
			}
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			var tooLarge *http.MaxBytesError
			switch {
			case errors.As(err, &tooLarge):
				w.Header().Set("Connection", "close")
				refuse(w, r, http.StatusRequestEntityTooLarge, fleet.CodeBodyTooLarge)
				return
			case errors.Is(err, os.ErrDeadlineExceeded):
				w.Header().Set("Connection", "close")
				refuse(w, r, http.StatusRequestTimeout, fleet.CodeBadRequest)
				return
			case err != nil:
				// A broken chunk, or the client went away: nothing of it can be trusted.
				w.Header().Set("Connection", "close")
				refuse(w, r, http.StatusBadRequest, fleet.CodeBadRequest)
				return
			}
			// The deadline was the body's: left alone, it would cancel a handler that takes longer.
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		})
	}
}

// withForm takes forms alone where a page is posted to. The other type that a browser sends from another site
// without asking first is text/plain.
func withForm(refuse refuser) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength != 0 {
				switch mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType {
				case "application/x-www-form-urlencoded", "multipart/form-data":
				default:
					refuse(w, r, http.StatusUnsupportedMediaType, fleet.CodeUnsupportedMedia)
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}
