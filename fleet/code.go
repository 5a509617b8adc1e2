package fleet

// Code names a refusal, a warning or a pending reason. Codes are for tools: they are never translated and never
// change. Every code stands in Registry.
type Code string

// Refusals of residency.
const (
	CodeCountryUnassigned Code = "residency_country_unassigned"
	CodeCountryRepeated   Code = "residency_country_repeated"
	CodeRegionUndeclared  Code = "residency_region_undeclared"
	CodeCountryAndRegion  Code = "residency_country_and_region"
	CodeContradiction     Code = "residency_contradiction"
	CodeResidencyEmpty    Code = "residency_empty"
	CodeLabelHandwritten  Code = "residency_label_handwritten"
	CodeLabelReserved     Code = "label_reserved"
)

// Refusals of what a document is and how it is written.
const (
	CodeInvalidYAML      Code = "invalid_yaml" // 400
	CodeInvalidJSON      Code = "invalid_json" // 400
	CodeTooLarge         Code = "document_too_large"
	CodeTooManyDocuments Code = "too_many_documents"
	CodeNoDocument       Code = "no_document"
	CodeDuplicateKey     Code = "duplicate_key"
	CodeUnknownField     Code = "unknown_field"
	CodeWrongType        Code = "wrong_type"
	CodeRequired         Code = "required"
	CodeKindUnsupported  Code = "kind_unsupported"
	CodeFieldUnsupported Code = "field_unsupported"
	CodeOutOfRange       Code = "out_of_range"
	CodeNotAccepted      Code = "value_not_accepted"
	CodeRepeated         Code = "value_repeated"
	CodeTooLong          Code = "too_long"
)

// Refusals of single fields.
const (
	CodeNameInvalid          Code = "name_invalid"
	CodeNameReserved         Code = "name_reserved"
	CodeNameMismatch         Code = "name_mismatch"
	CodeNamespaceMismatch    Code = "namespace_mismatch"
	CodeNamespaceUnknown     Code = "namespace_unknown"
	CodeImageInvalid         Code = "image_invalid"
	CodeEnvNameInvalid       Code = "env_name_invalid"
	CodeQuantityInvalid      Code = "quantity_invalid"
	CodeRequestExceedsLimit  Code = "request_exceeds_limit"
	CodeLabelInvalid         Code = "label_invalid"
	CodeAnnotationInvalid    Code = "annotation_invalid"
	CodeEmailInvalid         Code = "email_invalid"
	CodePasswordInvalid      Code = "password_invalid"
	CodeRoleInvalid          Code = "role_invalid"
	CodeDurationInvalid      Code = "duration_invalid"
	CodeTenantUnknown        Code = "tenant_unknown"
	CodeSelectorInvalid      Code = "selector_invalid"
	CodeRevisionUnknown      Code = "revision_unknown"
	CodeRollbackWidens       Code = "rollback_widens_residency"
	CodeNodeGeographySelf    Code = "node_geography_self_reported"
	CodeNodeCountryInvalid   Code = "node_country_unassigned"
	CodeContainerUnknown     Code = "container_unknown"
	CodeRegionInUse          Code = "region_in_use"  // 409
	CodeSettingPinned        Code = "setting_pinned" // 409
	CodeTenantInUse          Code = "tenant_in_use"  // 409
	CodeClusterInUse         Code = "cluster_in_use" // 409
	CodeAlreadyExists        Code = "already_exists" // 409
	CodeLastOperator         Code = "last_operator"  // 409
	CodeRegionRepeated       Code = "region_repeated"
	CodeRegionWithoutCountry Code = "region_without_countries"
)

// Refusals of policies.
const (
	CodeWeightsBoth   Code = "weights_both"
	CodeExcludeBoth   Code = "exclude_both"
	CodeFieldConflict Code = "field_conflict"
	CodeGangKind      Code = "gang_needs_job"
)

// Refusals of override policies.
const (
	CodeOverrideResidency Code = "override_residency"
	CodeOverrideIdentity  Code = "override_identity"
)

// Answers to a request as a whole, beside the refusals of a manifest.
const (
	CodeBadRequest       Code = "bad_request"            // 400 of a broken body, 408 of a slow one
	CodeUnauthenticated  Code = "unauthenticated"        // 401
	CodeForbidden        Code = "forbidden"              // 403
	CodeNotFound         Code = "not_found"              // 404
	CodeMethodNotAllowed Code = "method_not_allowed"     // 405
	CodeStale            Code = "stale"                  // 412
	CodeBodyTooLarge     Code = "body_too_large"         // 413
	CodeUnsupportedMedia Code = "unsupported_media_type" // 415
	CodeTooManyRequests  Code = "too_many_requests"      // 429
	CodeInternal         Code = "internal"               // 500
	CodeBusy             Code = "database_busy"          // 503
	CodeStorageFull      Code = "storage_full"           // 507
	CodeSignInFailed     Code = "sign_in_failed"         // 401
	CodeCrossOrigin      Code = "cross_origin"           // 403
)

// Warnings.
const (
	CodeEnforcementOff    Code = "enforcement_off"
	CodeNoMatchingNode    Code = "no_matching_node"
	CodeBlockedShadowed   Code = "blocked_countries_shadowed"
	CodeRegionUnchecked   Code = "region_unchecked"
	CodeNodeRegionUnknown Code = "node_region_undeclared"
	CodeSelectsNothing    Code = "selects_nothing"
	CodeSelectorNoEffect  Code = "selector_no_effect"
	CodeSelectorNameWins  Code = "selector_name_wins"
	CodeKindUnusual       Code = "kind_unusual"
	CodeKeptOnMembers     Code = "kept_on_members" // of a deletion
	CodeClusterUnknown    Code = "cluster_unknown"
	CodeAllClusters       Code = "all_clusters"

	CodeTargetsAllClusters Code = "targets_all_clusters" // of an override rule
)

// Pending reasons, in the order in which they are given.
const (
	ReasonGeoMismatch        Code = "geo_mismatch"
	ReasonNoReachableNode    Code = "no_reachable_node"
	ReasonCapacity           Code = "capacity"
	ReasonNoClusterSelected  Code = "no_cluster_selected"
	ReasonWaitingOverride    Code = "waiting_for_override_policy"
	ReasonWaitingDependency  Code = "waiting_for_dependency"
	ReasonNoPolicy           Code = "no_policy"
	ReasonOverrideBlocked    Code = "override_blocked"
	ReasonRegionUndeclared   Code = "region_undeclared"
	ReasonFailoverManual     Code = "failover_manual"
	ReasonGang               Code = "gang"
	ReasonClusterUnreachable Code = "cluster_unreachable"
	ReasonRuntimeUnsupported Code = "runtime_unsupported"
)

// ReasonMovedOff is why a cluster is no candidate: failover moved the workload off it. It stands behind all others.
const ReasonMovedOff Code = "moved_off"

// Why one node takes no replica, beside geo_mismatch and capacity. For operators and support.
const (
	NodeReasonNotReady Code = "node_lost"
	NodeReasonCordoned Code = "node_cordoned"
)
