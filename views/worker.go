package views

import "github.com/counterfoil/counterfoil/domain/migrations"

// Lives reports whether a worker's lease has not ended.
func Lives(w migrations.Worker) bool { return w.Left > 0 && w.State != migrations.WorkerStopped }
