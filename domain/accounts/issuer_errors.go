package accounts

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeIssuerNotFound: no issuer of the company has this id. Reload the page.
const CodeIssuerNotFound fault.Code = "Issuer.NotFound"

func IssuerNotFound() error {
	return fault.NotFound.New(CodeIssuerNotFound, "", "There is no such issuer. It may have been removed.")
}

// CodeBadIssuer: the address is not that of an issuer, or it cannot be reached: its /.well-known/openid-configuration
// must answer, and name the same address. Check it, and what an operator allows.
const CodeBadIssuer fault.Code = "Issuer.Bad"

func BadIssuer(why string) error {
	return fault.Invalid.New(CodeBadIssuer, "url", "This issuer cannot be used: "+why)
}

// CodeBadIssuerField: a name, client ID, secret or claim of an issuer is empty, too long, or has characters that do not
// show. Correct it.
const CodeBadIssuerField fault.Code = "Issuer.BadField"

func BadIssuerField(field, what string, most int) error {
	return fault.Invalid.New(CodeBadIssuerField, field, fmt.Sprintf("Enter %s of 1 to %d characters.", what, most))
}

// CodeTooManyIssuers: the company has as many issuers as it may have. Remove one first.
const CodeTooManyIssuers fault.Code = "Issuer.TooMany"

func TooManyIssuers() error {
	return fault.Conflict.New(CodeTooManyIssuers, "",
		fmt.Sprintf("The company has %d issuers, the most allowed. Remove one that is not needed first.", MaxIssuers))
}

// CodeBadIssuerRule: the rule names no group of the issuer, gives nothing, or makes owners without leave.
// Correct it.
const CodeBadIssuerRule fault.Code = "Issuer.BadRule"

func BadIssuerRule(field, message string) error {
	return fault.Invalid.New(CodeBadIssuerRule, field, message)
}

// CodeIssuerRuleConflict: there is a rule for this group of the issuer. Remove that first.
const CodeIssuerRuleConflict fault.Code = "Issuer.RuleConflict"

func IssuerRuleConflict() error {
	return fault.Conflict.New(CodeIssuerRuleConflict, "claim", "There is a rule for this group. Remove that first.")
}

// CodeAccountNeeded: the session was opened by an issuer of one company, which does not vouch for the account. Sign in
// with the account's password or passkey.
const CodeAccountNeeded fault.Code = "Issuer.AccountNeeded"

func AccountNeeded() error {
	return fault.Forbidden.New(CodeAccountNeeded, "",
		"You came in by your company’s issuer, which does not give this. Sign out, and sign in with your password or "+
			"passkey.")
}

// CodeIssuerNeeded: the company opens to sessions that one of its issuers opened alone. Sign in there.
const CodeIssuerNeeded fault.Code = "Issuer.Needed"

func IssuerNeeded() error {
	return fault.Forbidden.New(CodeIssuerNeeded, "", "This company opens to sign-ins at its issuer only.")
}

// CodeIssuerUnproven: a company can require its issuer once its owner came in by it, and has recovery codes for the day
// when it fails. Do both, and try again.
const CodeIssuerUnproven fault.Code = "Issuer.Unproven"

func IssuerUnproven() error {
	return fault.Conflict.New(CodeIssuerUnproven, "",
		"Sign in at the issuer yourself first, and set up a second factor with recovery codes on your account page: "+
			"a code is your way in if the issuer fails.")
}

// CodeIssuerUnreachable: the issuer does not answer as it should. Try again later, or sign in another way.
const CodeIssuerUnreachable fault.Code = "Issuer.Unreachable"

func IssuerUnreachable(name string, cause error) error {
	return fault.Error{Kind: fault.Unavailable, Code: CodeIssuerUnreachable, Cause: cause,
		Message: name + " does not answer as it should. Try again in a moment, or sign in another way."}
}

// CodeIssuerRefused: what came back from the issuer does not prove who you are: it is for another browser, question,
// program or time, it was used before, or its signature is wrong. Start again from the sign-in page.
const CodeIssuerRefused fault.Code = "Issuer.Refused"

func IssuerRefused(cause error) error {
	return fault.Error{Kind: fault.Invalid, Code: CodeIssuerRefused, Cause: cause,
		Message: "The sign-in was not completed: what came back does not prove who you are. Start again from the " +
			"sign-in page."}
}

// CodeNotLinked: the issuer knows you, and nobody here is linked to that. Sign in another way and link it on your
// account page, or ask for an invitation.
const CodeNotLinked fault.Code = "Issuer.NotLinked"

func NotLinked(name string) error {
	return fault.Forbidden.New(CodeNotLinked, "", "No account is linked to who you are at "+name+
		". If you have an account, sign in to it another way, and link "+name+" on your account page. Else ask the company for an invitation.")
}

// CodeNotAdmitted: the account is a member of no company that the issuer counts for. Ask for an invitation.
const CodeNotAdmitted fault.Code = "Issuer.NotAdmitted"

func NotAdmitted(name string) error {
	return fault.Forbidden.New(CodeNotAdmitted, "",
		"You are a member of no company that "+name+" signs in to. Ask the company for an invitation.")
}

// CodeIdentityConflict: who you are at the issuer is linked to another account, or your account to somebody else there.
// Remove that link first.
const CodeIdentityConflict fault.Code = "Issuer.IdentityConflict"

func IdentityConflict(name string) error {
	return fault.Conflict.New(CodeIdentityConflict, "", "Who you are at "+name+" is linked to another account, or your "+
		"account to somebody else there. Sign out there to change who you are, or remove that link first.")
}

// CodeOtherIdentity: the browser is signed in to an account that is not linked to who came back from the issuer. Sign
// out first.
const CodeOtherIdentity fault.Code = "Issuer.OtherIdentity"

func OtherIdentity(name string) error {
	return fault.Conflict.New(CodeOtherIdentity, "",
		"You are signed in here to an account that is not linked to who you are at "+name+". Link it on your account page, or sign out here first.")
}

// CodeBadDomain: the name is not that of a mail domain. Enter one such as example.com.
const CodeBadDomain fault.Code = "Domain.Bad"

func BadDomain() error {
	return fault.Invalid.New(CodeBadDomain, "domain", "Enter the domain of your addresses, such as example.com.")
}

// CodePublicDomain: addresses of this domain are given to everybody. Enter a domain of your own.
const CodePublicDomain fault.Code = "Domain.Public"

func PublicDomain(name string) error {
	return fault.Invalid.New(CodePublicDomain, "domain",
		"Anybody can have an address of "+name+". Enter a domain of your own.")
}

// CodeDomainConflict: the company has this domain already, or another company holds it. Enter another one, or have that
// one removed there.
const CodeDomainConflict fault.Code = "Domain.Conflict"

func DomainConflict() error {
	return fault.Conflict.New(CodeDomainConflict, "domain", "This domain is in use already, here or by another company.")
}

// CodeDomainUnproven: no TXT record of the domain has the company's code. Add it, wait until it is published, and try
// again.
const CodeDomainUnproven fault.Code = "Domain.Unproven"

func DomainUnproven(name string) error {
	return fault.Conflict.New(CodeDomainUnproven, "", "No TXT record of "+DomainRecord(name)+
		" has the value shown. A new record can take an hour to be seen; then check again.")
}

// CodeDomainUnreachable: the servers of the domain's name do not answer. Try again later.
const CodeDomainUnreachable fault.Code = "Domain.Unreachable"

func DomainUnreachable(name string, cause error) error {
	return fault.Error{Kind: fault.Conflict, Code: CodeDomainUnreachable, Cause: cause,
		Message: "The name servers of " + name + " do not answer at present. Check again in a moment."}
}

// CodeDomainNotFound: the company has no such domain. Reload the page.
const CodeDomainNotFound fault.Code = "Domain.NotFound"

func DomainNotFound() error {
	return fault.NotFound.New(CodeDomainNotFound, "", "There is no such domain. It may have been removed.")
}

// CodeTooManyDomains: the company has as many domains as it may have. Remove one first.
const CodeTooManyDomains fault.Code = "Domain.TooMany"

func TooManyDomains() error {
	return fault.Conflict.New(CodeTooManyDomains, "domain",
		fmt.Sprintf("The company has %d domains, the most allowed. Remove one that is not needed first.", MaxDomains))
}
