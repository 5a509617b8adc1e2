package agent

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"odysseus/fleet"
)

func TestReports(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.FixedZone("EST", -5*3600))
	utc := at.UTC()
	run, stop := fleet.Assignment{ID: "a"}, fleet.Assignment{ID: "a", Stop: true}
	for _, test := range []struct {
		name string
		held *Container
		want fleet.Assignment
		note note
		says fleet.ContainerReport
	}{
		{"not there yet", nil, run, note{}, fleet.ContainerReport{State: fleet.StateStarting}},
		{"being started", nil, run, note{busy: starting}, fleet.ContainerReport{State: fleet.StateStarting}},
		{"created only", &Container{State: fleet.StateAssigned}, run, note{}, fleet.ContainerReport{State: fleet.StateStarting}},
		{"cannot start", nil, run, note{failed: starting, failure: "cannot pull"}, fleet.ContainerReport{State: fleet.StateFailed, Message: "cannot pull"}},
		{"created and cannot start", &Container{State: fleet.StateAssigned}, run, note{failed: starting, failure: "no such file"},
			fleet.ContainerReport{State: fleet.StateFailed, Message: "no such file"}},
		{"cannot start and tried again", nil, run, note{failed: starting, failure: "cannot pull", busy: starting},
			fleet.ContainerReport{State: fleet.StateFailed, Message: "cannot pull"}},
		{"running", &Container{State: fleet.StateRunning, StartedAt: at}, run, note{record: record{Restarts: 4}},
			fleet.ContainerReport{State: fleet.StateRunning, Restarts: 4, StartedAt: &utc}},
		{"unhealthy", &Container{State: fleet.StateUnhealthy, Message: "GET / answers 500", StartedAt: at}, run, note{},
			fleet.ContainerReport{State: fleet.StateUnhealthy, Message: "GET / answers 500", StartedAt: &utc}},
		{"ended", &Container{State: fleet.StateExited, ExitCode: 3, StartedAt: at}, run, note{},
			fleet.ContainerReport{State: fleet.StateExited, Message: "exit code 3", StartedAt: &utc}},
		{"out of memory", &Container{State: fleet.StateExited, ExitCode: 137, OutOfMemory: true}, run, note{},
			fleet.ContainerReport{State: fleet.StateExited, Message: "exit code 137, out of memory"}},
		{"ended for good and cleared away", nil, run, note{record: record{Restarts: 1, Ended: &ending{ExitCode: 0, StartedAt: at}}},
			fleet.ContainerReport{State: fleet.StateExited, Message: "exit code 0", Restarts: 1, StartedAt: &utc}},
		{"stopping", &Container{State: fleet.StateRunning, StartedAt: at}, stop, note{busy: stopping}, fleet.ContainerReport{State: fleet.StateRunning, StartedAt: &utc}},
		{"stopped", nil, stop, note{}, fleet.ContainerReport{State: fleet.StateStopped}},
		{"stopped after it ended for good", nil, stop, note{record: record{Ended: &ending{}}}, fleet.ContainerReport{State: fleet.StateStopped}},
		{"to be stopped while it is started", nil, stop, note{busy: starting}, fleet.ContainerReport{State: fleet.StateStarting}},
		{"words of an engine", &Container{State: fleet.StateFailed, Message: "a\nb" + strings.Repeat("x", 600)}, run, note{},
			fleet.ContainerReport{State: fleet.StateFailed, Message: "a b" + strings.Repeat("x", 497) + "…"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var have []Container
			if test.held != nil {
				test.held.ID = "a"
				have = []Container{*test.held}
			}
			test.says.ID = "a"
			said := reports(have, []fleet.Assignment{test.want}, map[string]*note{"a": &test.note})
			if len(said) != 1 || !reflect.DeepEqual(said[0], test.says) {
				t.Errorf("says %+v\nwant %+v", said, test.says)
			}
			if again := reports(have, []fleet.Assignment{test.want}, map[string]*note{"a": &test.note}); !sameReport(said[0], again[0]) {
				t.Errorf("%+v and %+v are not the same", said[0], again[0])
			}
		})
	}
	have := []Container{{ID: "z", State: fleet.StateRunning}}
	said := reports(have, []fleet.Assignment{{ID: "c"}, {ID: "b"}}, nil)
	if len(said) != 2 || said[0].ID != "b" || said[1].ID != "c" {
		t.Errorf("says %+v, want b and c, and nothing of z that the list does not hold", said)
	}
}
