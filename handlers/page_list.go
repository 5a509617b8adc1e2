package handlers

import (
	"net/http"

	"odysseus/fleet"
)

// listOptions reads what every list takes: q and after.
func listOptions(r *http.Request) fleet.ListOptions {
	query := r.URL.Query()
	return fleet.ListOptions{Limit: rowsPerPage, Query: query.Get("q"), After: query.Get("after")}
}

// rowsPerPage of every list; the page stays under 100 kB.
const rowsPerPage = 100

// otherPages are the addresses of the first page of a list and of the next one; empty where there is none.
func otherPages(r *http.Request, next string) (first, following string) {
	query := r.URL.Query()
	if query.Get("after") != "" {
		query.Del("after")
		first = at(r.URL.Path, query.Encode())
	}
	if next != "" {
		query.Set("after", next)
		following = at(r.URL.Path, query.Encode())
	}
	return first, following
}

func at(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}
