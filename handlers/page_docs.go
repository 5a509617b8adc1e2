package handlers

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"odysseus/views"
)

// DocsResidency is GET /docs/residency.
func (p *Pages) DocsResidency(w http.ResponseWriter, r *http.Request) {
	p.docs(w, r, func(c views.Chrome) templ.Component { return views.Docs(views.ResidencyDocs(c)) })
}

// DocsPlacement is GET /docs/placement.
func (p *Pages) DocsPlacement(w http.ResponseWriter, r *http.Request) {
	p.docs(w, r, func(c views.Chrome) templ.Component { return views.Docs(views.PlacementDocs(c)) })
}

// DocsNeverScheduled is GET /docs/never-scheduled.
func (p *Pages) DocsNeverScheduled(w http.ResponseWriter, r *http.Request) {
	p.docs(w, r, func(c views.Chrome) templ.Component { return views.Docs(views.NeverScheduledDocs(c)) })
}

// DocsDeployment is GET /docs/deployment, made from the typed structs.
func (p *Pages) DocsDeployment(w http.ResponseWriter, r *http.Request) {
	p.docs(w, r, func(c views.Chrome) templ.Component {
		return views.DeploymentDocs(views.DeploymentDocsPage{Chrome: c, Fields: views.DeploymentReference(p.words(r))})
	})
}

// DocsDeploymentJSON is GET /docs/deployment.json.
func (p *Pages) DocsDeploymentJSON(w http.ResponseWriter, r *http.Request) {
	p.docsJSON(w, r, map[string]any{"fields": views.DeploymentReference(p.words(r))})
}

// DocsRejections is GET /docs/rejections, made from the registry.
func (p *Pages) DocsRejections(w http.ResponseWriter, r *http.Request) {
	words := p.words(r)
	p.docs(w, r, func(c views.Chrome) templ.Component {
		return views.RejectionsDocs(views.RejectionsPage{Chrome: c, Rejections: views.Rejections(words), Alterations: views.Alterations(p.Words, words)})
	})
}

// DocsRejectionsJSON is GET /docs/rejections.json.
func (p *Pages) DocsRejectionsJSON(w http.ResponseWriter, r *http.Request) {
	words := p.words(r)
	p.docsJSON(w, r, map[string]any{"rejections": views.Rejections(words), "alterations": views.Alterations(p.Words, words)})
}

func (p *Pages) docs(w http.ResponseWriter, r *http.Request, page func(views.Chrome) templ.Component) {
	chrome, err := p.chrome(w, r, views.SectionReference)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.render(w, r, http.StatusOK, page(chrome))
}

func (p *Pages) docsJSON(w http.ResponseWriter, r *http.Request, v any) {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		p.fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Vary", "Accept-Language")
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the reader is gone; there is nobody to tell
	}
}
