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
	rows := map[string]fleet.Container{}
	containers, err := tx.NodeContainers(ctx, w.node)
	if err != nil {
		return err
	}
	for _, row := range containers {
		rows[row.ID] = row
	}
	if len(w.refused) == 0 {
		w.refused = located(doc, w.foreign(rows))
	}
	if len(w.refused) > 0 {
		return w.refuse(ctx, tx, n)
	}
	if err := w.updateNode(ctx, tx, n); err != nil {
		return err
	}
	// In the order of the rows, which is that of the IDs: what is told does not depend on how an agent sorts.
	said := w.news.byID()
	for _, row := range containers {
		report, changed := w.reportOn(row, said)
		if !changed {
			continue
		}
		if _, err := tx.ReportContainer(ctx, w.node, report, nil); err != nil {
			return err
		}
		w.changed = append(w.changed, report)
		if e, told := w.containerEvent(row, report); told {
			if err := tx.AppendEvent(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// foreign refuses containers that are not this node's. One that is gone, and was this node's when it reported last,
// has only been forgotten here sooner than there.
func (w *reportWrite) foreign(rows map[string]fleet.Container) fleet.FieldErrors {
	var faults fleet.FieldErrors
	for i, r := range w.news.containers {
		_, own := rows[r.ID]
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

// reportOn is what the report says of a container, and whether that is news: "one that a report leaves out is
// unchanged unless it was reported before, then it is exited".
func (w *reportWrite) reportOn(row fleet.Container, said map[string]fleet.ContainerReport) (fleet.ContainerReport, bool) {
	r, named := said[row.ID]
	if !named {
		up := row.State == fleet.StateStarting || row.State == fleet.StateRunning || row.State == fleet.StateUnhealthy
		return fleet.ContainerReport{ID: row.ID, State: fleet.StateExited, Restarts: row.Restarts}, up && w.news.containers != nil
	}
	started := row.StartedAt
	if r.StartedAt != nil {
		started = *r.StartedAt
	}
	return r, r.State != row.State || r.Message != row.Message || r.Restarts != row.Restarts || !started.Equal(row.StartedAt)
}

// containerEvent tells the container's deployment that its state changed. Tenants read it: it names no node.
func (w *reportWrite) containerEvent(row fleet.Container, r fleet.ContainerReport) (fleet.Event, bool) {
	if r.State == row.State {
		return fleet.Event{}, false
	}
	kind := fleet.EventNormal
	var reason string
	switch r.State {
	case fleet.StateRunning:
		reason = EventStarted
	case fleet.StateUnhealthy:
		kind, reason = fleet.EventWarning, EventUnhealthy
	case fleet.StateExited:
		kind, reason = fleet.EventWarning, EventExited
	case fleet.StateFailed:
		kind, reason = fleet.EventWarning, EventFailed
	case fleet.StateStopped:
		reason = EventStopped
	default:
		return fleet.Event{}, false
	}
	if row.Stop && r.State == fleet.StateExited {
		kind, reason = fleet.EventNormal, EventStopped
	}
	args := map[string]string{"Replica": strconv.Itoa(row.Replica)}
	if r.Message != "" {
		args["Message"] = r.Message
	}
	return fleet.Event{Time: w.deps.Now().UTC(), Tenant: row.Tenant, Kind: fleet.KindDeployment, Namespace: row.Namespace, Name: row.Deployment,
		UID: row.DeploymentUID, Type: kind, Reason: reason, Args: args, Count: 1}, true
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

func (n news) byID() map[string]fleet.ContainerReport {
	said := make(map[string]fleet.ContainerReport, len(n.containers))
	for _, r := range n.containers {
		said[r.ID] = r
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
