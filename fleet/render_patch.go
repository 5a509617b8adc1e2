package fleet

import (
	"bytes"
	"encoding/json"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// checkPatch carries the steps out on a copy of the document, to know beforehand that every one of them applies, and of
// one that does not which it is, and why. The patch library alone takes "+1", "01" and "" for what they are not, calls
// everything missing, and does not say which step failed.
func checkPatch(doc *value, steps []change) (after *value, unchanged []int, failed int, why *misfit) {
	after = doc.clone()
	for i, step := range steps {
		changed, why := step.carryOut(after)
		if why != nil {
			return nil, nil, i, why
		}
		if !changed {
			unchanged = append(unchanged, i)
		}
	}
	return after, unchanged, 0, nil
}

// applyPatch applies steps that were checked to a JSON text, as one patch. Members keep their order, numbers their
// digits.
func applyPatch(text []byte, steps []change) ([]byte, error) {
	patch := make(jsonpatch.Patch, len(steps))
	for i, step := range steps {
		patch[i] = jsonpatch.Operation{"op": rawText(step.operator), "path": rawText(pointerTo(step.tokens))}
		if step.to != nil {
			w := objectWriter{verbatim: true}
			w.write(step.to, "")
			patch[i]["value"] = ptr(json.RawMessage(w.out.Bytes()))
		}
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices = false
	options.EscapeHTML = false
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, err
	}
	return patch.ApplyWithOptions(compact.Bytes(), options)
}

func rawText(s string) *json.RawMessage {
	raw, _ := json.Marshal(s) // a string always marshals
	return ptr(json.RawMessage(raw))
}

// plaintext: "one patch is atomic".
func (r *renderer) plaintext(steps []PlaintextOverrider) *RenderError {
	const list = "plaintext"
	changes := make([]change, len(steps))
	for i, p := range steps {
		var why *misfit
		if changes[i], why = stepOf(jsonPointer(valueOr(p.Path, "")), p.Operator, p.Value); why != nil {
			return r.blocked(joinIndex(list, i)+".path", why)
		}
	}
	_, unchanged, failed, why := checkPatch(r.doc, changes)
	if why != nil {
		return r.blocked(joinIndex(list, failed)+".path", why)
	}
	patched, err := applyPatch(r.doc.json(), changes)
	if err != nil {
		return r.blocked(list, &misfit{class: ClassWrongType, detail: detailPatch})
	}
	roots, fault := parseJSON(patched)
	if fault != nil || len(roots) != 1 {
		return r.blocked(list, &misfit{class: ClassWrongType, detail: detailTooLarge})
	}
	r.doc = roots[0]
	for _, i := range unchanged {
		r.note(NoteNothingChanged, joinIndex(list, i), pointerTo(changes[i].tokens))
	}
	return nil
}

// stepOf reads one step. What ValidateOverride refuses does not come here; what is stored by other rules is blocked.
func stepOf(path jsonPointer, operator string, raw json.RawMessage) (change, *misfit) {
	c := change{operator: operator, tokens: path.tokens()}
	if faults := path.faults(""); len(faults) > 0 {
		class := ClassMissing
		if faults[0].Want == wantPointerIndex {
			class = ClassIndex
		}
		return c, &misfit{class: class, detail: detailPatch, path: string(path)}
	}
	if operator != OverrideAdd && operator != OverrideReplace && operator != OverrideRemove {
		return c, &misfit{class: ClassWrongType, detail: detailPatch, path: string(path)}
	}
	if operator == OverrideRemove {
		return c, nil
	}
	roots, fault := parseJSON(raw)
	if fault != nil || len(roots) != 1 {
		return c, &misfit{class: ClassWrongType, detail: detailPatch, path: string(path)}
	}
	c.to = roots[0]
	return c, nil
}
