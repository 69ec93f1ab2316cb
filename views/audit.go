package views

import (
	"strings"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// AuditText is an entry of an audit list in words that follow its actor's name.
func AuditText(e accounts.AuditEntry) string {
	d := e.Detail
	note := ""
	if d.Name != "" {
		note = ": " + d.Name
	}
	switch e.Kind {
	case accounts.AuditSignedIn:
		if d.Name != "" {
			return "signed in by " + d.Name
		}
		return "signed in"
	case accounts.AuditSignInLimited:
		return "could not sign in: too many attempts failed"
	case accounts.AuditSignedOutAll:
		return "signed out everywhere"
	case accounts.AuditSignedOutOthers:
		return "signed out in all other browsers"
	case accounts.AuditSessionEnded:
		return "ended a session of theirs"
	case accounts.AuditAddressChanged:
		return "changed the address of " + d.Member + " to " + d.Name
	case accounts.AuditDeactivated:
		return "deactivated " + d.Member + note
	case accounts.AuditReactivated:
		return "reactivated " + d.Member
	case accounts.AuditSessionsEnded:
		return "signed " + d.Member + " out everywhere"
	case accounts.AuditInvited:
		return "created an invitation as " + d.Role + note
	case accounts.AuditInvitationRevoked:
		return "revoked an invitation as " + d.Role + note
	case accounts.AuditJoined:
		if d.Name != "" {
			return "joined as " + d.Role + " by " + d.Name
		}
		return "joined as " + d.Role
	case accounts.AuditRoleChanged:
		return "changed the role of " + d.Member + " from " + d.Was + " to " + d.Role
	case accounts.AuditRemoved:
		return "removed " + d.Member + ", who was " + d.Was
	case accounts.AuditLeft:
		return "left, and was " + d.Was
	case accounts.AuditTokenMade:
		if d.Member != "" {
			return "created the API token " + d.Name + " of " + d.Member
		}
		return "created the API token " + d.Name
	case accounts.AuditTokenRevoked:
		if d.Member != "" {
			return "revoked the API token " + d.Name + " of " + d.Member
		}
		return "revoked the API token " + d.Name
	case accounts.AuditTokensEnded:
		return "ended all their API tokens"
	case accounts.AuditPasswordChanged:
		return "changed their password"
	case accounts.AuditResetMade:
		if d.Member == "" {
			return "got a link for a new password, created on the server"
		}
		return "created a link for a new password for " + d.Member
	case accounts.AuditResetUsed:
		return "chose a new password by a link"
	case accounts.AuditTOTPMade:
		return "set up an authenticator app"
	case accounts.AuditTOTPRemoved:
		return "removed their authenticator app"
	case accounts.AuditPasskeyAdded:
		return "added the passkey " + d.Name
	case accounts.AuditPasskeyRemoved:
		return "removed a passkey"
	case accounts.AuditPasskeyCloned:
		return "used the passkey " + d.Name + ", which may have been copied, and was refused"
	case accounts.AuditRecoveryMade:
		return "got new recovery codes"
	case accounts.AuditRecoveryUsed:
		return "used a recovery code"
	case accounts.AuditFactorsRemoved:
		return "removed all second factors of " + d.Member
	case accounts.AuditFactorNeeded:
		return "required a second factor to open the company"
	case accounts.AuditFactorOptional:
		return "no longer required a second factor to open the company"
	case accounts.AuditOperatorGranted:
		return "made " + d.Member + " an operator of the server"
	case accounts.AuditOperatorWithdrawn:
		return "made " + d.Member + " no longer an operator of the server"
	case accounts.AuditCompanyRenamed:
		return "renamed the company from " + d.Was + " to " + d.Name
	case accounts.AuditQuotaSet:
		return "set the quota of files of " + d.Company + " to " + d.Name
	case accounts.AuditCompanyOpened:
		return "created the company"
	case accounts.AuditWebhookMade:
		return "created a webhook to " + d.Name
	case accounts.AuditWebhookChanged:
		if d.Was != "" {
			return "changed the webhook to " + d.Was + " to go to " + d.Name
		}
		return "changed the webhook to " + d.Name
	case accounts.AuditWebhookOn:
		return "turned on the webhook to " + d.Name
	case accounts.AuditWebhookOff:
		return "turned off the webhook to " + d.Name
	case accounts.AuditWebhookSecret:
		return "gave the webhook to " + d.Name + " another secret"
	case accounts.AuditWebhookDeleted:
		return "deleted the webhook to " + d.Name
	case accounts.AuditConsumerPaused:
		return "paused the consumer " + d.Name + " of the feed " + d.Feed
	case accounts.AuditConsumerResumed:
		return "resumed the consumer " + d.Name + " of the feed " + d.Feed
	case accounts.AuditConsumerMoved:
		return "set the cursor of the consumer " + d.Name + " of the feed " + d.Feed
	case accounts.AuditConsumerDeleted:
		return "deleted the consumer " + d.Name + " of the feed " + d.Feed
	case accounts.AuditFormOn:
		return "turned on the public form of " + d.Name
	case accounts.AuditFailedOver:
		return "failed over the database: what was done last may be lost"
	case accounts.AuditRowsRepublished:
		return "republished " + d.Note + " of the feed " + d.Feed
	case accounts.AuditEpochBegun:
		return "began a new epoch of the feeds: earlier cursors are refused"
	case accounts.AuditKeyRotated:
		return "encrypted all secrets with the new key " + d.Name
	case accounts.AuditKeyLost:
		return "gave up the secrets that were encrypted with the lost key " + d.Name
	case accounts.AuditRefPolicyChanged:
		return "changed how the pool of reference codes is filled: " + d.Note
	case accounts.AuditRefillsPaused:
		return "paused the refills of reference codes"
	case accounts.AuditRefillsResumed:
		return "resumed the refills of reference codes"
	case accounts.AuditLotQuarantined:
		return "put lot " + d.Name + " of reference codes into quarantine"
	case accounts.AuditBackup:
		return "began a backup of all data into " + d.Name
	case accounts.AuditRestored:
		return "restored the backup " + d.Name + " " + d.Note
	case accounts.AuditAllRunsStopped:
		return "stopped all runs on all servers: “" + d.Note + "”"
	case accounts.AuditAllRunsReleased:
		return "released all runs on all servers"
	case accounts.AuditFormOff:
		return "turned off the public form of " + d.Name
	}
	if verb := runVerbs[e.Kind]; verb != "" {
		return verb + " " + runText(d)
	}
	if text := issuerText(e); text != "" {
		return text
	}
	return accessText(e)
}

// issuerText is AuditText for entries about issuers and domains, "" for others.
func issuerText(e accounts.AuditEntry) string {
	d := e.Detail
	switch e.Kind {
	case accounts.AuditIssuerAdded:
		return "added the issuer " + d.Name + " at " + d.Note
	case accounts.AuditIssuerChanged:
		return "changed the issuer " + d.Name + " at " + d.Note
	case accounts.AuditIssuerRemoved:
		return "removed the issuer " + d.Name + " at " + d.Note
	case accounts.AuditIssuerNeeded:
		return "required an issuer to open the company"
	case accounts.AuditIssuerOptional:
		return "no longer required an issuer to open the company"
	case accounts.AuditIssuerRule:
		text := "added a rule for the group " + d.Note + " of " + d.Name
		if d.Role != "" {
			text += ", which gives the role " + d.Role
		}
		return text
	case accounts.AuditIssuerRuleGone:
		return "removed a rule for a group of " + d.Name
	case accounts.AuditIdentityLinked:
		return "linked their account to " + d.Name
	case accounts.AuditIdentityRemoved:
		return "removed a link of their account to an issuer"
	case accounts.AuditDomainAdded:
		return "added the domain " + d.Name
	case accounts.AuditDomainVerified:
		return "verified the domain " + d.Name
	case accounts.AuditDomainLost:
		return "found no record of the domain " + d.Name + ", which is not verified any more"
	case accounts.AuditDomainRemoved:
		return "removed the domain " + d.Name
	}
	return ""
}

// accessText is AuditText for entries about groups and the members of boards.
func accessText(e accounts.AuditEntry) string {
	d := e.Detail
	switch e.Kind {
	case accounts.AuditBoardPrivate:
		return "made the board " + d.Name + " private"
	case accounts.AuditBoardOpen:
		return "opened the board " + d.Name + " to all members"
	case accounts.AuditBoardMember:
		if d.Was != "" {
			return "changed the role of " + d.Member + " on the board " + d.Name + " from " + d.Was + " to " + d.Role
		}
		return "added " + d.Member + " to the board " + d.Name + " as " + d.Role
	case accounts.AuditWebhookBoard:
		return "added the private board " + d.Name + " to the webhook to " + d.Note
	case accounts.AuditWebhookBoardGone:
		return "removed the private board " + d.Name + " from the webhook to " + d.Note
	case accounts.AuditBoardMemberGone:
		return "removed " + d.Member + ", who was " + d.Was + ", from the board " + d.Name
	case accounts.AuditBoardTaken:
		return "took over the board " + d.Name + ", which had no admin"
	case accounts.AuditBoardLinkOn:
		return "turned on the public link of the board " + d.Name
	case accounts.AuditBoardLinkReplaced:
		return "replaced the public link of the board " + d.Name
	case accounts.AuditBoardLinkOff:
		return "turned off the public link of the board " + d.Name
	case accounts.AuditCalendarMade:
		return "made a calendar address of " + d.Name
	case accounts.AuditCalendarRevoked:
		return "revoked the calendar address of " + d.Name
	case accounts.AuditServiceMade:
		return "created " + d.Name
	case accounts.AuditServiceDeleted:
		return "deleted " + d.Name + " and its tokens"
	case accounts.AuditRefsGranted:
		return "let " + d.Name + " pop " + d.Note
	case accounts.AuditGroupMade:
		return "created the group " + d.Name
	case accounts.AuditGroupRenamed:
		return "renamed the group " + d.Was + " to " + d.Name
	case accounts.AuditGroupDeleted:
		return "deleted the group " + d.Name
	case accounts.AuditGroupMember:
		return "added " + d.Member + " to the group " + d.Name
	case accounts.AuditGroupMemberGone:
		return "removed " + d.Member + " from the group " + d.Name
	}
	return strings.ReplaceAll(e.Kind, "-", " ")
}

// runVerbs are what an operator does with a run or a worker.
var runVerbs = map[string]string{
	accounts.AuditRunOpened: "opened", accounts.AuditRunStarted: "started", accounts.AuditRunPaused: "paused",
	accounts.AuditRunResumed: "resumed", accounts.AuditRunCancelled: "cancelled", accounts.AuditRunDismissed: "dismissed",
	accounts.AuditRunAdjusted: "changed the settings of", accounts.AuditTasksRetried: "retried tasks of",
	accounts.AuditTasksSkipped: "skipped tasks of", accounts.AuditRunRead: "read", accounts.AuditWorkerDrained: "drained",
	accounts.AuditWorkerUndrained: "ended the draining of",
}

func runText(d accounts.AuditDetail) string {
	text := d.Name
	if d.Run != 0 {
		text = "run " + Number(uint64(d.Run)) + ": " + d.Name
	}
	if d.Note != "" {
		text += ", " + d.Note
	}
	return text
}
