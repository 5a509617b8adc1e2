package main

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"odysseus/fleet"
)

// target is what is named on the command line: a kind and a name, or a name alone, which is a deployment's.
type target struct {
	Kind      string `arg:"" optional:"" help:"deployments (left out: these), propagationpolicies, overridepolicies, clusterpropagationpolicies, clusteroverridepolicies or resources."`
	Name      string `arg:"" optional:"" help:"Name; of resources APIVERSION/KIND/NAME, such as v1/ConfigMap/settings."`
	Namespace string `short:"n" help:"Namespace; none for what is cluster-wide."`
	Output    string `short:"o" enum:"text,json,yaml" default:"text" help:"text, json or yaml."`
}

// place is where the API has the target.
type place struct {
	collection string // its path
	name       string // empty for all
	// resource is set where the name is given by parameters, as kinds are anybody's.
	resource *fleet.ResourceKey
	// policy says that there is no placement of its own.
	policy bool
}

const (
	ofDeployments      = "deployments"
	ofPolicies         = "propagationpolicies"
	ofOverrides        = "overridepolicies"
	ofClusterPolicies  = "clusterpropagationpolicies"
	ofClusterOverrides = "clusteroverridepolicies"
	ofResources        = "resources"
)

// collectionOf reads a kind in the plural, the singular or as it is written in a manifest; empty where it is none.
func collectionOf(word string) string {
	switch strings.ToLower(word) {
	case "deployment", ofDeployments:
		return ofDeployments
	case "propagationpolicy", ofPolicies:
		return ofPolicies
	case "overridepolicy", ofOverrides:
		return ofOverrides
	case "clusterpropagationpolicy", ofClusterPolicies:
		return ofClusterPolicies
	case "clusteroverridepolicy", ofClusterOverrides:
		return ofClusterOverrides
	case "resource", ofResources:
		return ofResources
	}
	return ""
}

// find says where the target is; named demands a name.
func (t target) find(named bool) (place, error) {
	collection, name := collectionOf(t.Kind), t.Name
	switch {
	case t.Kind == "":
		collection = ofDeployments
	case collection == "" && name == "":
		collection, name = ofDeployments, t.Kind
	case collection == "":
		return place{}, &refusedError{[]string{fmt.Sprintf("%q is no kind here: write one of %s", t.Kind,
			strings.Join([]string{ofDeployments, ofPolicies, ofOverrides, ofClusterPolicies, ofClusterOverrides, ofResources}, ", "))}}
	}
	if named && name == "" {
		return place{}, &refusedError{[]string{"name: say which one"}}
	}
	namespaced, wide := collection == ofPolicies || collection == ofOverrides, collection == ofClusterPolicies || collection == ofClusterOverrides
	p := place{collection: in(t.Namespace, collection), name: name, policy: namespaced || wide}
	switch {
	case wide && t.Namespace != "":
		return place{}, &refusedError{[]string{"-n: " + collection + " have no namespace"}}
	case t.Namespace == "" && (collection == ofDeployments || namespaced):
		return place{}, &refusedError{[]string{"-n: say in which namespace"}}
	}
	if collection == ofResources {
		key, ok := resourceNamed(name)
		if !ok || named && key.Name == "" {
			return place{}, &refusedError{[]string{fmt.Sprintf("%q names no resource: write APIVERSION/KIND/NAME, such as v1/ConfigMap/settings", name)}}
		}
		p.resource = &key
	}
	return p, nil
}

// in is the path of a collection, of a namespace or of none.
func in(namespace, collection string) string {
	if namespace == "" {
		return "/api/v1/" + collection
	}
	return "/api/v1/namespaces/" + url.PathEscape(namespace) + "/" + collection
}

// coreVersion is an apiVersion without a group.
var coreVersion = regexp.MustCompile(`^v[0-9]`)

// resourceNamed reads APIVERSION/KIND/NAME and, for a list, APIVERSION/KIND or nothing.
func resourceNamed(text string) (fleet.ResourceKey, bool) {
	if text == "" {
		return fleet.ResourceKey{}, true
	}
	var key fleet.ResourceKey
	parts := strings.Split(text, "/")
	key.APIVersion, parts = parts[0], parts[1:]
	if !coreVersion.MatchString(key.APIVersion) && len(parts) > 0 {
		key.APIVersion, parts = key.APIVersion+"/"+parts[0], parts[1:]
	}
	switch len(parts) {
	case 2:
		key.Kind, key.Name = parts[0], parts[1]
	case 1:
		key.Kind = parts[0]
	default:
		return key, false
	}
	return key, key.Kind != ""
}

// one is the path of the named object, or of what lies under it.
func (p place) one(under string) string {
	if p.resource == nil {
		return p.collection + "/" + url.PathEscape(p.name) + under
	}
	return p.collection + under + "?" + p.query(url.Values{}).Encode()
}

// page is the path of the list behind a cursor.
func (p place) page(after string) string {
	query := url.Values{}
	if after != "" {
		query.Set("continue", after)
	}
	if p.resource != nil {
		query = p.query(query)
	}
	if len(query) == 0 {
		return p.collection
	}
	return p.collection + "?" + query.Encode()
}

func (p place) query(q url.Values) url.Values {
	for name, value := range map[string]string{"apiVersion": p.resource.APIVersion, "kind": p.resource.Kind, "name": p.resource.Name} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// named says whether one object is meant, not all of a kind.
func (p place) named() bool {
	if p.resource != nil {
		return p.resource.Name != ""
	}
	return p.name != ""
}
