package fleet

// Purge modes, in ACK One's words: what becomes of a workload where it is unhealthy.
const (
	PurgeImmediately = "Immediately" // removed, then placed again elsewhere
	PurgeGraciously  = "Graciously"  // placed again first, removed when that is healthy or the grace has passed
	PurgeNever       = "Never"       // left in place, flagged for a person

	// Karmada's words for the first two.
	purgeDirectly   = "Directly"
	purgeGracefully = "Gracefully"
)

// Defaults of failover.application, in seconds.
const (
	DefaultToleration  = 300
	DefaultPurgeGrace  = 600
	failoverPath       = "spec.failover.application"
	purgeModePath      = failoverPath + ".purgeMode"
	gracePeriodSeconds = failoverPath + ".gracePeriodSeconds"
)

// Failover is what happens when a workload is unhealthy on a cluster; off where it is left out.
type Failover struct {
	Application *ApplicationFailover `json:"application,omitempty"`
}

// ApplicationFailover moves a workload away from a cluster where it is unhealthy.
type ApplicationFailover struct {
	DecisionConditions *DecisionConditions `json:"decisionConditions,omitempty"`
	PurgeMode          string              `json:"purgeMode" validate:"required" default:"required"`
	GracePeriodSeconds *int64              `json:"gracePeriodSeconds,omitempty" validate:"omitempty,min=1,max=2147483647"`
}

// DecisionConditions say when to move.
type DecisionConditions struct {
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty" validate:"omitempty,min=0,max=2147483647" default:"300"`
}

// Failover of the policy; nil where it asks for none.
func (p *Policy) Failover() *ApplicationFailover {
	if p.Spec.Failover == nil {
		return nil
	}
	return p.Spec.Failover.Application
}

// Toleration is how long a workload may be unhealthy before it is moved, in seconds.
func (f *ApplicationFailover) Toleration() int64 {
	if f.DecisionConditions == nil {
		return DefaultToleration
	}
	return valueOr(f.DecisionConditions.TolerationSeconds, DefaultToleration)
}

// Purge is the mode in ACK One's words, however it was written.
func (f *ApplicationFailover) Purge() string {
	switch f.PurgeMode {
	case purgeDirectly:
		return PurgeImmediately
	case purgeGracefully:
		return PurgeGraciously
	}
	return f.PurgeMode
}

// Grace is how long Graciously waits for the new replicas to be healthy, in seconds.
func (f *ApplicationFailover) Grace() int64 { return valueOr(f.GracePeriodSeconds, DefaultPurgeGrace) }

// purgeModes are the words that the policy's own API accepts. Karmada's had ACK One's words until it renamed them,
// so it takes both.
func (p *Policy) purgeModes() []string {
	accepted := []string{PurgeImmediately, PurgeGraciously, PurgeNever}
	if p.Karmada() {
		accepted = append(accepted, purgeDirectly, purgeGracefully)
	}
	return accepted
}

// validateFailover holds the mode to the words of the policy's own API, and refuses a grace that no mode
// waits for.
func validateFailover(p *Policy) FieldErrors {
	f := p.Failover()
	if f == nil || f.PurgeMode == "" {
		return nil // a missing mode is refused by its tag
	}
	var faults FieldErrors
	if fault, wrong := notOneOf(purgeModePath, f.PurgeMode, p.purgeModes()); wrong {
		if f.PurgeMode != f.Purge() {
			fault.Suggestion = f.Purge()
		}
		return append(faults, fault)
	}
	if f.Purge() != PurgeGraciously && f.GracePeriodSeconds != nil {
		faults = append(faults, conflict(gracePeriodSeconds, textOf(f.GracePeriodSeconds), "purgeMode: "+f.PurgeMode))
	}
	return faults
}
