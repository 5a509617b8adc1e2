package handlers

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
)

// Endpoint is one line of the route table, as far as it is described.
type Endpoint struct{ Method, Path string }

// OpenAPI answers GET /openapi.json: the routes that are really there, described by the types that they really read
// and write. It fails where a route has no description, and where a description has no route.
func OpenAPI(endpoints []Endpoint) (http.HandlerFunc, error) {
	doc, err := openAPI(endpoints)
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, "application/json", http.StatusOK, doc) }, nil
}

// operation describes what one endpoint does.
type operation struct {
	id      string
	summary string
	list    bool     // takes the options of a list, answers a list of answer
	write   bool     // takes ?dryRun, answers {"object": answer, "warnings": []}
	ifMatch bool     // compares If-Match
	query   []string // further parameters
	body    any      // nil for none
	answer  any
	status  int // 200 where it is 0
	public  bool
}

// operations of the API, by method and path.
func operations() map[string]operation {
	const (
		v1     = "/api/v1"
		tenant = v1 + "/tenants/{tenant}"
		one    = v1 + "/namespaces/{ns}/deployments/{name}"
	)
	ops := map[string]operation{
		"POST " + v1 + "/apply": {id: "apply", summary: "Make all documents of a stream true, or none", query: []string{"namespace", "dryRun"}, body: fleet.Deployment{}, answer: struct {
			Items []appliedJSON `json:"items"`
		}{}},

		"GET " + v1 + "/tenants":                              {id: "listTenants", summary: "List tenants", list: true, answer: tenantJSON{}},
		"POST " + v1 + "/tenants":                             {id: "createTenant", summary: "Create a tenant and its namespace", write: true, status: 201, body: control.NewTenant{}, answer: tenantJSON{}},
		"GET " + tenant:                                       {id: "getTenant", summary: "Read a tenant", answer: tenantJSON{}},
		"DELETE " + tenant:                                    {id: "deleteTenant", summary: "Delete a tenant that has no deployments", write: true, answer: tenantJSON{}},
		"GET " + tenant + "/namespaces":                       {id: "listNamespaces", summary: "List a tenant's namespaces", list: true, answer: namespaceJSON{}},
		"POST " + tenant + "/namespaces":                      {id: "createNamespace", summary: "Create a namespace", write: true, status: 201, body: control.NewNamespace{}, answer: namespaceJSON{}},
		"GET " + v1 + "/clusters":                             {id: "listClusters", summary: "List clusters; for a tenant, those granted to it", list: true, answer: clusterJSON{}},
		"POST " + v1 + "/clusters":                            {id: "createCluster", summary: "Create a cluster", write: true, status: 201, body: control.NewCluster{}, answer: clusterJSON{}},
		"GET " + v1 + "/clusters/{cluster}":                   {id: "getCluster", summary: "Read a cluster", answer: clusterJSON{}},
		"PUT " + v1 + "/clusters/{cluster}":                   {id: "putCluster", summary: "Change a cluster; what is left out stays", write: true, ifMatch: true, body: control.NewCluster{}, answer: clusterJSON{}},
		"DELETE " + v1 + "/clusters/{cluster}":                {id: "deleteCluster", summary: "Delete a cluster that has no nodes", write: true, ifMatch: true, answer: clusterJSON{}},
		"POST " + v1 + "/clusters/{cluster}/enrolment-tokens": {id: "createEnrolmentToken", summary: "Issue a token that lets agents join; shown once", write: true, status: 201, body: control.NewEnrolmentToken{}, answer: enrolmentTokenJSON{}},

		"GET " + v1 + "/nodes":                  {id: "listNodes", summary: "List nodes", list: true, query: []string{"cluster"}, answer: nodeJSON{}},
		"GET " + v1 + "/nodes/{node}":           {id: "getNode", summary: "Read a node", answer: nodeJSON{}},
		"DELETE " + v1 + "/nodes/{node}":        {id: "deleteNode", summary: "Forget a node and revoke its credential", write: true, answer: nodeJSON{}},
		"PUT " + v1 + "/nodes/{node}":           {id: "putNode", summary: "Refused: what a node says of itself only its agent says", answer: nil},
		"PATCH " + v1 + "/nodes/{node}":         {id: "patchNode", summary: "Refused: what a node says of itself only its agent says", answer: nil},
		"POST " + v1 + "/nodes/{node}/cordon":   {id: "cordonNode", summary: "Let a node take no new replicas", write: true, answer: nodeJSON{}},
		"POST " + v1 + "/nodes/{node}/uncordon": {id: "uncordonNode", summary: "Let a node take replicas again", write: true, answer: nodeJSON{}},
		"POST " + v1 + "/nodes/{node}/drain":    {id: "drainNode", summary: "Cordon a node and place its replicas elsewhere", write: true, body: control.DrainRequest{}, answer: nodeJSON{}},
		"GET " + v1 + "/nodes/{node}/events":    {id: "listNodeEvents", summary: "List what happened to a node", list: true, answer: eventJSON{}},

		"GET " + v1 + "/namespaces/{ns}/deployments":  {id: "listDeployments", summary: "List deployments", list: true, query: []string{"state", "residency"}, answer: fleet.Deployment{}},
		"POST " + v1 + "/namespaces/{ns}/deployments": {id: "createDeployment", summary: "Create a deployment", write: true, status: 201, body: fleet.Deployment{}, answer: fleet.Deployment{}},
		"GET " + one:                  {id: "getDeployment", summary: "Read a deployment", answer: fleet.Deployment{}},
		"PUT " + one:                  {id: "putDeployment", summary: "Replace a deployment's spec, labels and annotations", write: true, ifMatch: true, body: fleet.Deployment{}, answer: fleet.Deployment{}},
		"DELETE " + one:               {id: "deleteDeployment", summary: "Delete a deployment and stop what runs of it", write: true, ifMatch: true, answer: fleet.Deployment{}},
		"GET " + one + "/placement":   {id: "getPlacement", summary: "Where a deployment runs, and why not elsewhere", answer: placementJSON{}},
		"GET " + one + "/events":      {id: "listEvents", summary: "List what happened to a deployment", list: true, answer: eventJSON{}},
		"GET " + one + "/revisions":   {id: "listRevisions", summary: "List the specs that a deployment had", list: true, answer: fleet.Revision{}},
		"POST " + one + "/reschedule": {id: "rescheduleDeployment", summary: "Divide a deployment over the clusters afresh", write: true, ifMatch: true, answer: fleet.Deployment{}},
		"POST " + one + "/rollback":   {id: "rollbackDeployment", summary: "Make an old revision's spec the next one", write: true, ifMatch: true, body: control.RollbackRequest{}, answer: fleet.Deployment{}},

		"POST " + v1 + "/namespaces/{ns}/scheduler/simulate": {id: "simulate", summary: "Where a workload would go, and why not elsewhere; nothing is stored", body: fleet.Deployment{}, answer: simulatedJSON{}},

		"GET " + v1 + "/scheduler/regions":       {id: "getRegions", summary: "The declared regions, and whether enforcement is on", answer: regionsJSON{}},
		"GET " + v1 + "/scheduler/geography":     {id: "getGeography", summary: "What the live nodes within reach advertise", answer: fleet.Geography{}},
		"GET " + v1 + "/scheduler/geo-awareness": {id: "getGeoAwareness", summary: "The operator's settings", answer: geoJSON{}},
		"PUT " + v1 + "/scheduler/geo-awareness": {id: "putGeoAwareness", summary: "Change the settings; a dry run answers the impact alone", write: true, ifMatch: true, body: control.GeoPatch{}, answer: geoJSON{}},
		"GET " + v1 + "/pending":                 {id: "listPending", summary: "List pending deployments and other resources with their reasons, oldest first", list: true, query: []string{"tenant", "reason"}, answer: pendingWorkloadJSON{}},
		"GET " + v1 + "/audit":                   {id: "listAudit", summary: "List who wrote what, accepted or refused, newest first", list: true, answer: fleet.AuditEntry{}},

		"POST " + v1 + "/agents/enrol":           {id: "enrol", summary: "Make a machine a node", public: true, status: 201, body: control.EnrolRequest{}, answer: enrolledJSON{}},
		"PUT " + v1 + "/agents/self/status":      {id: "putStatus", summary: "Say what the node is and what it runs", body: control.StatusReport{}, answer: orders{}},
		"GET " + v1 + "/agents/self/assignments": {id: "getAssignments", summary: "What the node is to run; waits for a version past since", query: []string{"since"}, answer: fleet.AssignmentList{}},
	}
	// Policies and resources are a namespace's or, without one in the path, the platform's.
	for prefix, kind := range map[string]string{v1 + "/namespaces/{ns}/propagationpolicies": fleet.KindPropagationPolicy, v1 + "/clusterpropagationpolicies": fleet.KindClusterPropagationPolicy} {
		policyOperations(ops, prefix, kind, fleet.Policy{}, policyJSON{},
			"Create a "+kind+"; without a name it gets one", "Delete a "+kind+"; what it distributed stays or goes as it says")
	}
	for prefix, kind := range map[string]string{v1 + "/namespaces/{ns}/overridepolicies": fleet.KindOverridePolicy, v1 + "/clusteroverridepolicies": fleet.KindClusterOverridePolicy} {
		policyOperations(ops, prefix, kind, fleet.Override{}, overrideDetailJSON{},
			"Create a policy of kind "+kind, "Delete a policy of kind "+kind+"; what it changed is distributed again without it")
	}
	named := []string{"apiVersion", "kind", "name"}
	for prefix, whose := range map[string]string{v1 + "/namespaces/{ns}/resources": "", v1 + "/resources": "ClusterScoped"} {
		ops["GET "+prefix] = operation{id: "get" + whose + "Resources", summary: "Read the resource of that name, or list all", list: true, query: named, answer: resourceJSON{}}
		ops["POST "+prefix] = operation{id: "create" + whose + "Resource", summary: "Create a resource of any other kind", write: true, status: 201, body: resourceJSON{}, answer: resourceJSON{}}
		ops["PUT "+prefix] = operation{id: "put" + whose + "Resource", summary: "Replace a resource", write: true, ifMatch: true, query: named, body: resourceJSON{}, answer: resourceJSON{}}
		ops["DELETE "+prefix] = operation{id: "delete" + whose + "Resource", summary: "Delete a resource and remove it from the clusters", write: true, ifMatch: true, query: named, answer: resourceJSON{}}
		ops["GET "+prefix+"/placement"] = operation{id: "get" + whose + "ResourcePlacement", summary: "Where a resource is, and why not elsewhere", query: named, answer: placementJSON{}}
	}
	// Users and tokens are a tenant's or, without one in the path, the platform's.
	for prefix, whose := range map[string]string{tenant: "Tenant", v1: "Platform"} {
		ops["GET "+prefix+"/users"] = operation{id: "list" + whose + "Users", summary: "List people", list: true, answer: userJSON{}}
		ops["POST "+prefix+"/users"] = operation{id: "create" + whose + "User", summary: "Add a person", write: true, status: 201, body: control.NewUser{}, answer: userJSON{}}
		ops["DELETE "+prefix+"/users/{id}"] = operation{id: "delete" + whose + "User", summary: "Remove a person", write: true, answer: userJSON{}}
		ops["GET "+prefix+"/tokens"] = operation{id: "list" + whose + "Tokens", summary: "List API tokens, without their secrets", list: true, answer: tokenJSON{}}
		ops["POST "+prefix+"/tokens"] = operation{id: "create" + whose + "Token", summary: "Issue an API token; shown once", write: true, status: 201, body: control.NewToken{}, answer: tokenJSON{}}
		ops["DELETE "+prefix+"/tokens/{id}"] = operation{id: "delete" + whose + "Token", summary: "Revoke an API token", write: true, answer: tokenJSON{}}
	}
	return ops
}

// policyOperations adds those of one kind of policy: of is one as it is written, and read one as it is answered.
func policyOperations(ops map[string]operation, prefix, kind string, of, read any, create, remove string) {
	all := strings.TrimSuffix(kind, "y") + "ies"
	ops["GET "+prefix] = operation{id: "list" + all, summary: "List " + all, list: true, answer: of}
	ops["POST "+prefix] = operation{id: "create" + kind, summary: create, write: true, status: 201, body: of, answer: of}
	ops["GET "+prefix+"/{name}"] = operation{id: "get" + kind, summary: "Read a policy of kind " + kind + ", and what it selects", answer: read}
	ops["PUT "+prefix+"/{name}"] = operation{id: "put" + kind, summary: "Replace the spec, labels and annotations of a policy of kind " + kind, write: true, ifMatch: true, body: of, answer: of}
	ops["DELETE "+prefix+"/{name}"] = operation{id: "delete" + kind, summary: remove, write: true, ifMatch: true, answer: of}
}

// object is a piece of the document.
type object = map[string]any

func openAPI(endpoints []Endpoint) (object, error) {
	ops := operations()
	schemas := newSchemas()
	paths := object{}
	for _, e := range endpoints {
		key := e.Method + " " + e.Path
		op, described := ops[key]
		if !described {
			return nil, fmt.Errorf("describe %s: no description", key)
		}
		delete(ops, key)
		methods, _ := paths[e.Path].(object)
		if methods == nil {
			methods = object{}
			paths[e.Path] = methods
		}
		methods[strings.ToLower(e.Method)] = op.describe(e.Path, schemas)
	}
	if len(ops) > 0 {
		return nil, fmt.Errorf("describe %s: no such route", slices.Sorted(maps.Keys(ops))[0])
	}
	return object{
		"openapi":  "3.1.0",
		"info":     object{"title": "Odysseus", "version": "v1", "description": "The control plane's API. Refusals are documented at /docs/rejections."},
		"paths":    paths,
		"security": []any{object{"bearer": []any{}}},
		"components": object{
			"schemas":         schemas.all,
			"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}},
		},
	}, nil
}

var wildcard = regexp.MustCompile(`\{(\w+)\}`)

func (o operation) describe(path string, s *schemas) object {
	parameters := []any{}
	parameter := func(in, name string, schema object) {
		p := object{"in": in, "name": name, "schema": schema}
		if in == "path" {
			p["required"] = true
		}
		parameters = append(parameters, p)
	}
	text := object{"type": "string"}
	for _, m := range wildcard.FindAllStringSubmatch(path, -1) {
		parameter("path", m[1], text)
	}
	if o.list {
		parameter("query", "limit", object{"type": "integer", "minimum": 1, "maximum": maxLimit, "default": defaultLimit})
		parameter("query", "continue", text)
		parameter("query", "labelSelector", text)
		parameter("query", "q", text)
	}
	if o.write {
		parameter("query", "dryRun", object{"type": "string", "enum": []string{"All"}})
	}
	if o.ifMatch {
		parameter("header", "If-Match", text)
	}
	for _, name := range o.query {
		parameter("query", name, text)
	}
	out := object{"operationId": o.id, "summary": o.summary, "responses": o.responses(s)}
	if len(parameters) > 0 {
		out["parameters"] = parameters
	}
	if o.body != nil {
		body := object{"schema": s.of(o.body, true)}
		out["requestBody"] = object{"content": object{"application/yaml": body, "application/json": body}}
	}
	if o.public {
		out["security"] = []any{}
	}
	return out
}

func (o operation) responses(s *schemas) object {
	problemBody := object{"description": "Refused", "content": object{"application/problem+json": object{"schema": s.of(problem{}, false)}}}
	if o.answer == nil {
		return object{"422": problemBody, "default": problemBody}
	}
	answer := s.of(o.answer, false)
	switch {
	case o.list:
		answer = object{"type": "object", "required": []string{"items", "metadata"}, "properties": object{
			"items": object{"type": "array", "items": answer}, "metadata": s.of(listMetadata{}, false)}}
	case o.write:
		answer = object{"type": "object", "required": []string{"object", "warnings"}, "properties": object{
			"object": answer, "warnings": object{"type": "array", "items": s.of(warningJSON{}, false)},
			"id": object{"type": "string"}, "token": object{"type": "string"}, "impact": s.of(impactJSON{}, false)}}
	}
	status := o.status
	if status == 0 {
		status = http.StatusOK
	}
	return object{strconv.Itoa(status): object{"description": http.StatusText(status), "content": object{"application/json": object{"schema": answer}}}, "default": problemBody}
}
