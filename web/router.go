package web

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"odysseus/fleet"
)

// catchAll is the pattern of every path that is in no route.
const catchAll = "/"

// newRouter serves a table. Patterns go to the mux without their methods, so that a known path answers 405 in
// our own words, and every method of it is listed in Allow. build wraps a route in what its line asks for.
func newRouter(routes []Route, build func(Route) http.Handler, refuse refuser) (http.Handler, error) {
	paths := map[string]pathHandler{}
	for _, route := range routes {
		if route.Who == noRule || route.Handler == nil {
			return nil, fmt.Errorf("add route %s %s: no rule who may, or no handler", route.Method, route.Path)
		}
		if route.Kind == Probe && route.Who != Public {
			return nil, fmt.Errorf("add route %s %s: a probe asks nobody who they are", route.Method, route.Path)
		}
		methods, ok := paths[route.Path]
		if !ok {
			methods = pathHandler{refuse: refuse, methods: map[string]http.Handler{}}
			paths[route.Path] = methods
		}
		if methods.methods[route.Method] != nil {
			return nil, fmt.Errorf("add route %s %s: it is in the table twice", route.Method, route.Path)
		}
		methods.methods[route.Method] = build(route)
	}
	mux := http.NewServeMux()
	for pattern, methods := range paths {
		if get := methods.methods[http.MethodGet]; get != nil {
			methods.methods[http.MethodHead] = get
		}
		methods.allow = strings.Join(slices.Sorted(maps.Keys(methods.methods)), ", ")
		mux.Handle(pattern, methods)
	}
	mux.HandleFunc(catchAll, func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, http.StatusNotFound, fleet.CodeNotFound)
	})
	return exactPath(mux, refuse), nil
}

// pathHandler is one path with its methods.
type pathHandler struct {
	methods map[string]http.Handler
	allow   string
	refuse  refuser
}

// overrides ask to treat a request as another than it is; what authorised the one would carry out the other.
var overrides = []string{"X-Http-Method-Override", "X-Http-Method", "X-Method-Override"}

func (p pathHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := p.methods[r.Method]
	for _, header := range overrides {
		if _, asked := r.Header[header]; asked {
			h = nil
		}
	}
	if h == nil {
		w.Header().Set("Allow", p.allow)
		p.refuse(w, r, http.StatusMethodNotAllowed, fleet.CodeMethodNotAllowed)
		return
	}
	h.ServeHTTP(w, r)
}

// exactPath answers 404 for a path that the mux would tidy up and redirect: one thing has one path, and the
// router and whoever authorises read the same one.
func exactPath(next http.Handler, refuse refuser) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.Path; !strings.HasPrefix(p, "/") || path.Clean(p) != p || r.Method == http.MethodConnect {
			refuse(w, r, http.StatusNotFound, fleet.CodeNotFound)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// nameSegments are the wildcards that hold names of objects; ids and hashed files have their own look-ups.
var nameSegments = []string{"ns", "name", "tenant", "cluster", "node"}

// withNames answers 404 where a segment cannot be a name: there is nothing of that name, and no store needs to
// be asked with it. It comes after authorisation, or it would tell strangers which paths exist.
func withNames(pattern string, refuse refuser) middleware {
	var segments []string
	for _, name := range nameSegments {
		if strings.Contains(pattern, "{"+name+"}") {
			segments = append(segments, name)
		}
	}
	id := strings.Contains(pattern, "{id}")
	return func(next http.Handler) http.Handler {
		if segments == nil && !id {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, segment := range segments {
				if !fleet.IsName(r.PathValue(segment)) {
					refuse(w, r, http.StatusNotFound, fleet.CodeNotFound)
					return
				}
			}
			if id && !isID(r.PathValue("id")) {
				refuse(w, r, http.StatusNotFound, fleet.CodeNotFound)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// isID says whether s could be an id of our making: letters, digits, dash and underscore, at most 64.
func isID(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
