package control

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"odysseus/fleet"
)

// Report takes what an agent says of its node. Byte for byte what it said last, it is a heartbeat and costs no
// database I/O. A refused report changes nothing, the node counts as alive, and operators see the refusal on it.
func (c *Control) Report(ctx context.Context, a Agent, body []byte, format fleet.Format) (fleet.FieldErrors, error) {
	last := c.agents.of(a.Node)
	last.mu.Lock()
	defer last.mu.Unlock()
	digest := sha256.Sum256(body)
	if last.accepted && last.digest == digest {
		c.deps.Scheduler.Heartbeat(a.Node)
		return nil, nil
	}
	b := ParseBody[StatusReport](body, format)
	news, faults := admitReport(b)
	w := reportWrite{Control: c, node: a.Node, news: news, faults: faults, known: last.ids}
	err := c.deps.Store.Update(ctx, func(tx Writer) error { return w.run(ctx, tx, b.Doc) })
	if err != nil {
		if errors.Is(err, fleet.ErrNotFound) {
			err = ErrUnauthenticated // deleted while it reported
		}
		c.deps.Scheduler.Heartbeat(a.Node) // a store that is full or busy is no reason to give a node up
		return nil, fmt.Errorf("store report of node %q: %w", a.Node, err)
	}
	if w.nodeChanged {
		c.deps.Scheduler.NodeChanged(w.after)
	}
	if len(w.changed) > 0 {
		c.deps.Scheduler.Reported(a.Node, w.changed)
	}
	c.deps.Scheduler.Heartbeat(a.Node)
	last.accepted = len(w.refused) == 0
	if last.accepted {
		last.digest, last.ids = digest, news.ids()
	}
	return w.refused, nil
}

// reportWrite is one report on its way into the store. run may be called again where a commit failed.
type reportWrite struct {
	*Control
	node   string
	news   news
	faults fleet.FieldErrors
	known  map[string]bool // named by the last accepted report

	several     several
	refused     fleet.FieldErrors
	after       fleet.Node
	nodeChanged bool
	changed     []fleet.ContainerReport
}

func (w *reportWrite) run(ctx context.Context, tx Writer, doc *fleet.Doc) error {
	w.refused, w.changed, w.nodeChanged = w.faults, nil, false
	n, err := tx.Node(ctx, w.node)
	if err != nil {
		return err
	}
	containers, err := tx.NodeContainers(ctx, w.node)
	if err != nil {
		return err
	}
	said := w.news.byReplica()
	if w.several, err = severalOf(ctx, tx, containers, said); err != nil {
		return err
	}
	if len(w.refused) == 0 {
		w.refused = located(doc, w.foreign(containers))
	}
	if len(w.refused) > 0 {
		return w.refuse(ctx, tx, n)
	}
	if err := w.updateNode(ctx, tx, n); err != nil {
		return err
	}
	// In the order of the rows, which is that of the IDs: what is told does not depend on how an agent sorts.
	for _, row := range containers {
		if err := w.store(ctx, tx, row, w.on(row, said[row.ID])); err != nil {
			return err
		}
	}
	return nil
}

// store writes what a report changed of a replica, and tells its workload.
func (w *reportWrite) store(ctx context.Context, tx Writer, row fleet.Container, s stateOf) error {
	if !s.changed && len(s.transitions) == 0 && maps.EqualFunc(row.Parts, s.parts, sameReport) {
		return nil
	}
	if _, err := tx.ReportContainer(ctx, w.node, s.report, s.parts); err != nil {
		return err
	}
	if s.changed {
		w.changed = append(w.changed, s.report)
	}
	if len(s.transitions) == 0 {
		return nil
	}
	kind, err := tx.WorkloadKind(ctx, row.DeploymentUID)
	if err != nil {
		return err
	}
	for _, t := range s.transitions {
		if e, told := w.containerEvent(row, kind, t); told {
			if err := tx.AppendEvent(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// foreign refuses containers that are not this node's. One that is gone, and was this node's when it reported last,
// has only been forgotten here sooner than there.
func (w *reportWrite) foreign(containers []fleet.Container) fleet.FieldErrors {
	rows := make(map[string]bool, len(containers))
	for _, row := range containers {
		rows[row.ID] = true
	}
	var faults fleet.FieldErrors
	for i, r := range w.news.containers {
		row, name := fleet.CutContainerID(r.ID)
		own := rows[row] && w.several.has(row, name)
		gone := r.State == fleet.StateStopped || r.State == fleet.StateExited || r.State == fleet.StateFailed
		forgotten := gone && w.known[r.ID]
		if !own && !forgotten {
			faults = append(faults, fleet.FieldError{Code: fleet.CodeContainerUnknown, Field: "containers[" + strconv.Itoa(i) + "].id", Value: r.ID})
		}
	}
	return faults
}

// maxRefusal bounds how much of a refused report is kept to be shown.
const maxRefusal = 20

func (w *reportWrite) refuse(ctx context.Context, tx Writer, n fleet.Node) error {
	kept := append(fleet.FieldErrors{}, w.refused[:min(len(w.refused), maxRefusal)]...)
	for i := range kept {
		kept[i].Field, kept[i].Value = cut(kept[i].Field), cut(kept[i].Value)
	}
	if sameJSON(n.Refusal, kept) {
		return nil
	}
	n.Refusal = kept
	return w.storeNode(ctx, tx, n, w.nodeEvent(n, fleet.EventWarning, EventReportRefused, map[string]string{"Codes": codes(kept)}))
}

func codes(faults fleet.FieldErrors) string {
	var out []string
	for _, code := range faults.Codes() {
		if len(out) == 0 || out[len(out)-1] != string(code) {
			out = append(out, string(code))
		}
	}
	return strings.Join(out, ", ")
}

func (w *reportWrite) updateNode(ctx context.Context, tx Writer, n fleet.Node) error {
	next := n
	next.Refusal = nil
	if w.news.labels != nil {
		next.Labels = w.news.labels
	}
	next.Capacity = w.news.capacity.over(n.Capacity)
	if maps.Equal(n.Labels, next.Labels) && n.Capacity == next.Capacity && len(n.Refusal) == 0 {
		return nil
	}
	var events []fleet.Event
	if was, is := n.Geo(), next.Geo(); was != is {
		events = append(events, w.nodeEvent(n, fleet.EventWarning, EventGeographyChanged, map[string]string{"Before": geoText(was), "After": geoText(is)}))
	}
	return w.storeNode(ctx, tx, next, events...)
}

func (w *reportWrite) storeNode(ctx context.Context, tx Writer, n fleet.Node, events ...fleet.Event) error {
	var err error
	if w.after, err = tx.UpdateNode(ctx, n); err != nil {
		return err
	}
	w.nodeChanged = true
	for _, e := range events {
		if err := tx.AppendEvent(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// geoText is where a node says it is, by labels and values.
func geoText(g fleet.Geo) string {
	var parts []string
	if g.Country != "" {
		parts = append(parts, g.Country)
	}
	if g.Region != "" {
		parts = append(parts, g.Region)
	}
	return strings.Join(parts, ", ")
}

// news is a report, admitted. Labels are nil where it says nothing of them, containers too.
type news struct {
	labels     map[string]string
	capacity   capacityReport
	containers []fleet.ContainerReport
}

func (n news) ids() map[string]bool {
	ids := make(map[string]bool, len(n.containers))
	for _, r := range n.containers {
		ids[r.ID] = true
	}
	return ids
}

// byReplica is what is said of each replica's containers, by row and name; the name is empty for the only one.
func (n news) byReplica() map[string]map[string]fleet.ContainerReport {
	said := make(map[string]map[string]fleet.ContainerReport, len(n.containers))
	for _, r := range n.containers {
		row, name := fleet.CutContainerID(r.ID)
		if said[row] == nil {
			said[row] = map[string]fleet.ContainerReport{}
		}
		said[row][name] = r
	}
	return said
}

// parseTime reads RFC 3339; nothing for nothing.
func parseTime(text string) (*time.Time, bool) {
	if text == "" {
		return nil, true
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, false
	}
	t = t.UTC()
	return &t, true
}
