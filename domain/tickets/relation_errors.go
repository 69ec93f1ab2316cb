package tickets

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeBadRelation: the kind is none of parent, child, blocked-by, blocks, duplicates, duplicated-by and relates-to. Send
// one of them.
const CodeBadRelation fault.Code = "Relation.BadKind"

// CodeRelatedNotFound: the ticket to relate to does not exist, or not for the caller. Check its key.
const CodeRelatedNotFound fault.Code = "Relation.NotFound"

func RelatedNotFound(text string) error {
	if text == "" {
		return fault.Invalid.New(CodeRelatedNotFound, "other", "Choose a ticket, or enter its key, such as NINJA-42.")
	}
	return fault.Invalid.New(CodeRelatedNotFound, "other",
		fmt.Sprintf("“%.40s” is no key of a ticket that you have access to. Choose a ticket from the list.", text))
}

// CodeRelatedToItself: a ticket cannot be related to itself. Send another ticket.
const CodeRelatedToItself fault.Code = "Relation.Itself"

func RelatedToItself(key Key) error {
	return fault.Invalid.New(CodeRelatedToItself, "other", key.String()+" is this ticket itself. Choose another.")
}

// CodeHasParent: the child has another parent. Remove that first.
const CodeHasParent fault.Code = "Relation.HasParent"

func HasParent(key Key) error {
	return fault.Conflict.New(CodeHasParent, "other", key.String()+" has another parent. Remove that relation first.")
}

// CodeRelationCycle: the relation would close a cycle of parents or of blockers. Remove one of the others first.
const CodeRelationCycle fault.Code = "Relation.Cycle"

func RelationCycle(key Key, is string, other Key) error {
	return fault.Conflict.New(CodeRelationCycle, "other",
		fmt.Sprintf("%s is %s %s already, directly or through others. Remove one of these relations first.", key, is, other))
}

// CodeTooManyLevels: there would be more than five levels of parents and children. Choose a ticket further up.
const CodeTooManyLevels fault.Code = "Relation.TooManyLevels"

func TooManyLevels(parent, child Key) error {
	return fault.Conflict.New(CodeTooManyLevels, "other",
		fmt.Sprintf("With %s as the parent of %s there would be more than %d levels of tickets. Choose a parent further up.",
			parent, child, MaxLevels))
}

// CodeTooManyRelations: a ticket has 200 relations. Remove some first.
const CodeTooManyRelations fault.Code = "Relation.TooMany"

func TooManyRelations(key Key) error {
	return fault.Conflict.New(CodeTooManyRelations, "other",
		fmt.Sprintf("%s has %d relations, and no ticket may have more. Remove some first.", key, MaxRelations))
}

// CodeTooManyRelated: so many tickets block one another that a cycle cannot be ruled out. Remove some of these
// relations first.
const CodeTooManyRelated fault.Code = "Relation.TooManyRelated"

func TooManyRelated() error {
	return fault.Conflict.New(CodeTooManyRelated, "other", fmt.Sprintf(
		"More than %d tickets block one another here, too many to rule out a cycle. Remove some of these relations first.",
		mostVisited))
}
