package workflows

// The names of the migrations that use cases open runs of.
const (
	ImportName     = "import-tickets"
	RepublishName  = "republish"
	MintName       = "mint-refs"
	LoadName       = "load-refs"
	QuarantineName = "quarantine-refs"
)
