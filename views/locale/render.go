package locale

import (
	"maps"

	"odysseus/fleet"
)

// RenderError says why an override blocks a resource, in one line.
//
// The message "blocked.DETAIL" has all of Args, and: Path, Inside (which field's text the path is in, where it is in
// one), Quoted (Value, cut, in quotes), Want (the type that is wanted, in words), Refusal (the first fault of the
// result, in words).
func (w *Words) RenderError(e *fleet.RenderError) string {
	args := make(map[string]string, len(e.Args)+4)
	maps.Copy(args, e.Args)
	args["Path"] = e.Path
	args["Quoted"] = quoted(e.Args["Value"])
	if within := e.Args["Within"]; within != "" {
		args["Inside"] = w.T("blocked.inside", map[string]string{"Within": within})
	}
	if len(e.Faults) > 0 {
		args["Refusal"] = w.Refusal(e.Faults[0])
	}
	if kind := e.Args["Want"]; kind != "" {
		args["Want"] = w.T("accepted.type_"+kind, nil)
	}
	return w.T("blocked."+e.Detail, args)
}

// RenderNote says what an override did, or did not do, that its author may not expect.
func (w *Words) RenderNote(n fleet.RenderNote) string {
	return w.T("rendernote."+string(n.Code), map[string]string{"Path": n.Path})
}
