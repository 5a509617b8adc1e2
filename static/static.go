package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Prefix is the path under which Handler is mounted.
const Prefix = "/static/"

// Names of what pages link to.
const (
	Stylesheet = "console.css"
	Script     = "console.js"
	Icon       = "icon.svg"
	HTMX       = "vendor/htmx.min.js"
)

//go:embed console.css console.js icon.svg vendor
var files embed.FS

// asset is one embedded file, ready to be sent.
type asset struct {
	url         string
	contentType string
	plain       []byte
	gzipped     []byte // nil where it would not be smaller
}

// assets is what was embedded, hashed once: a constant that Go cannot write down.
var assets = sync.OnceValue(func() map[string]asset {
	found := map[string]asset{}
	// The walk of an embedded tree cannot fail, nor can writing into a buffer.
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, _ error) error {
		if entry.IsDir() || path.Ext(name) == ".md" {
			return nil
		}
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		extension := path.Ext(name)
		a := asset{
			url:         Prefix + strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:6]) + extension,
			contentType: mime.TypeByExtension(extension),
			plain:       content,
		}
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		_, _ = w.Write(content)
		_ = w.Close()
		if packed.Len() < len(content) {
			a.gzipped = packed.Bytes()
		}
		found[name] = a
		return nil
	})
	return found
})

// Has says whether an asset is there: all of ours are, htmx only after npm ci.
func Has(name string) bool {
	_, found := assets()[name]
	return found
}

// URL is the address of an asset, with its content's hash in it. An asset that is not there has none.
func URL(name string) string { return assets()[name].url }

// Handler serves every asset at its URL, and nothing else.
func Handler() http.Handler {
	byURL := map[string]asset{}
	for _, a := range assets() {
		byURL[a.url] = a
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, found := byURL[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", a.contentType)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("Vary", "Accept-Encoding")
		body := a.plain
		if a.gzipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			body = a.gzipped
		}
		h.Set("Content-Length", strconv.Itoa(len(body)))
		if r.Method != http.MethodHead {
			_, _ = w.Write(body) // the reader is gone; there is nobody to tell
		}
	})
}
