package handlers

import (
	"net/http"

	"github.com/a-h/templ"

	"odysseus/fleet"
	"odysseus/views"
)

// DocsPolicies is GET /docs/policies, made from the typed structs, the rules beside them and the scheduler's division.
func (p *Pages) DocsPolicies(w http.ResponseWriter, r *http.Request) {
	division, err := p.exampleDivision()
	if err != nil {
		p.fail(w, r, err)
		return
	}
	words := p.words(r)
	p.docs(w, r, func(c views.Chrome) templ.Component {
		return views.PolicyDocs(views.PolicyDocsPage{
			Chrome:      c,
			Sections:    views.PolicySections(),
			Division:    division,
			Blocks:      views.PolicyReferenceBlocks(words),
			Dialects:    fleet.PolicyDialects(),
			Unsupported: fleet.UnsupportedPolicyFields(),
		})
	})
}

// DocsPoliciesJSON is GET /docs/policies.json.
func (p *Pages) DocsPoliciesJSON(w http.ResponseWriter, r *http.Request) {
	division, err := p.exampleDivision()
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.docsJSON(w, r, map[string]any{
		"fields":      views.PolicyReference(p.words(r)),
		"apis":        fleet.PolicyDialects(),
		"unsupported": fleet.UnsupportedPolicyFields(),
		"division":    division,
	})
}

// exampleDivision asks the scheduler itself, so that the table of the reference is what placement does.
func (p *Pages) exampleDivision() ([]views.DivisionStep, error) {
	var answers []fleet.SimulationReport
	for replicas := range views.ExampleSteps + 1 {
		q, err := views.PolicyExample(replicas)
		if err != nil {
			return nil, err
		}
		answers = append(answers, p.Control.Example(q))
	}
	return views.DivisionSteps(answers), nil
}
