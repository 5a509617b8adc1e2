package views

import "strings"

// Call is one call of the API that does what the console has no form for.
type Call struct {
	// Key of what it does: howto.KEY, with howto_hint.KEY.
	Key string
	// Path under the API, and the JSON that is sent there.
	Path, Body string
}

// curl is the call as it can be pasted into a shell. The token is the reader's own and stands in a variable: what is
// pasted ends up in histories.
func (c Call) curl(origin string) string {
	return strings.Join([]string{
		"curl " + origin + "/api/v1/" + c.Path,
		`  -H "Authorization: Bearer $ODYSSEUS_TOKEN"`,
		`  -H "Content-Type: application/json"`,
		"  -d '" + c.Body + "'",
	}, " \\\n")
}

// tenantCalls, clusterCalls and nodeCalls are what operators do by the API as long as the console has no form for it.
func tenantCalls() []Call {
	return []Call{
		{"tenant", "tenants", `{"name": "acme", "displayName": "Acme"}`},
		{"person", "tenants/acme/users", `{"email": "ada@acme.example", "password": "a sentence that she changes", "role": "editor"}`},
		{"staff", "users", `{"email": "sam@example.com", "password": "a sentence that he changes", "role": "support"}`},
	}
}

func clusterCalls() []Call {
	return []Call{{"cluster", "clusters", `{"name": "canada", "tenants": ["acme"]}`}}
}

func nodeCalls() []Call {
	return []Call{{"enrolment", "clusters/canada/enrolment-tokens", `{"expiresIn": "1h", "uses": 1}`}}
}
