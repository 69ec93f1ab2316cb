package upkeep

// SpreadNext is what a task of rebalance-ranks does.
var SpreadNext = spreadNext
