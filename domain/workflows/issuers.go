package workflows

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
)

// mayOwn returns the caller if it owns its company, or NotOwner.
func mayOwn(ctx context.Context) (accounts.Actor, error) {
	actor := accounts.ActorFrom(ctx)
	if actor.Role != accounts.Owner {
		return actor, accounts.NotOwner()
	}
	return actor, nil
}

// asOwner runs fn in a transaction with the caller as an owner, who stays one meanwhile.
func (w *Workflows) asOwner(
	ctx context.Context, what string, fn func(tx *db.Tx, actor accounts.Actor) error,
) error {
	return w.withLockedRole(ctx, what, func(tx *db.Tx, actor accounts.Actor) error {
		if actor.Role != accounts.Owner {
			return accounts.NotOwner()
		}
		return fn(tx, actor)
	})
}

// IssuerSettings returns how the company is signed in to. It returns NotOwner.
func (w *Workflows) IssuerSettings(ctx context.Context) (s accounts.SignInSettings, err error) {
	actor, err := mayOwn(ctx)
	if err != nil {
		return s, err
	}
	if s.Issuers, err = accounts.IssuersOf(ctx, w.db.Queries, actor.Company.ID); err != nil {
		return s, err
	}
	s.Domains, err = accounts.DomainsOf(ctx, w.db.Queries, actor.Company.ID)
	return s, err
}

// IssuerPage returns an issuer that counts for the company. It returns NotOwner or IssuerNotFound.
func (w *Workflows) IssuerPage(ctx context.Context, issuer id.Issuer) (p accounts.IssuerInCompany, err error) {
	actor, err := mayOwn(ctx)
	if err != nil {
		return p, err
	}
	company := actor.Company.ID
	if p.Issuer, err = accounts.IssuerFor(ctx, w.db.Queries, company, issuer); err != nil {
		return p, err
	}
	p.Own = p.Issuer.Company == company
	if p.Rules, err = accounts.IssuerRules(ctx, w.db.Queries, company, issuer); err != nil {
		return p, err
	}
	p.Groups, err = w.Groups(ctx)
	return p, err
}

// AddIssuer adds an issuer to the company, once it says of itself that it is one. It returns NotOwner, BadIssuerField,
// BadIssuer or TooManyIssuers.
func (w *Workflows) AddIssuer(
	ctx context.Context, draft accounts.IssuerDraft, once *Once[accounts.Issuer],
) (accounts.Issuer, error) {
	if _, err := mayOwn(ctx); err != nil {
		return accounts.Issuer{}, err
	}
	return DoOnce(ctx, w, once, func() (issuer accounts.Issuer, err error) {
		parsed, err := w.checkIssuer(ctx, draft)
		if err != nil {
			return accounts.Issuer{}, err
		}
		err = w.asOwner(ctx, "add an issuer", func(tx *db.Tx, actor accounts.Actor) error {
			company := actor.Company.ID
			if issuer, err = accounts.AddIssuer(ctx, tx, w.keys, company, parsed, company); err != nil {
				return err
			}
			detail := accounts.AuditDetail{Name: issuer.Name, Note: issuer.URL}
			if err := audit(ctx, tx, actor, accounts.AuditIssuerAdded, detail); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, issuer))
		})
		return issuer, err
	})
}

// checkIssuer returns a draft of a new issuer as it is stored.
func (w *Workflows) checkIssuer(ctx context.Context, draft accounts.IssuerDraft) (accounts.IssuerDraft, error) {
	parsed, err := draft.Parse()
	if err != nil {
		return accounts.IssuerDraft{}, err
	}
	_, err = accounts.Discover(ctx, w.issuers, parsed.URL)
	return parsed, err
}

// SaveIssuer changes an issuer in the company. It returns NotOwner, IssuerNotFound or BadIssuerField.
func (w *Workflows) SaveIssuer(ctx context.Context, issuer id.Issuer, draft accounts.IssuerDraft) error {
	return w.onIssuer(ctx, "save an issuer", issuer, func(tx *db.Tx, actor accounts.Actor, of accounts.Issuer) error {
		if of.Company != actor.Company.ID {
			draft.Name, draft.ClientID, draft.GroupsClaim, draft.Secret = of.Name, of.ClientID, of.GroupsClaim, ""
		}
		parsed, err := draft.Parse()
		if err != nil {
			return err
		}
		if err := accounts.SaveIssuer(ctx, tx, w.keys, actor.Company.ID, of, parsed); err != nil {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditIssuerChanged, accounts.AuditDetail{Name: parsed.Name, Note: of.URL})
	})
}

// onIssuer runs fn in a transaction with the caller as an owner, and an issuer that counts for the company.
func (w *Workflows) onIssuer(
	ctx context.Context, what string, issuer id.Issuer,
	fn func(tx *db.Tx, actor accounts.Actor, of accounts.Issuer) error,
) error {
	return w.asOwner(ctx, what, func(tx *db.Tx, actor accounts.Actor) error {
		of, err := accounts.IssuerFor(ctx, tx.Queries, actor.Company.ID, issuer)
		if err != nil {
			return err
		}
		return fn(tx, actor, of)
	})
}

// RemoveIssuer removes an issuer of the company. Without another one, the company opens to all ways again. It returns
// NotOwner, or IssuerNotFound, also for one of an operator.
func (w *Workflows) RemoveIssuer(ctx context.Context, issuer id.Issuer) error {
	return w.onIssuer(ctx, "remove an issuer", issuer, func(tx *db.Tx, actor accounts.Actor, of accounts.Issuer) error {
		if of.Company != actor.Company.ID {
			return accounts.IssuerNotFound()
		}
		if err := accounts.RemoveIssuer(ctx, tx, issuer); err != nil {
			return err
		}
		err := audit(ctx, tx, actor, accounts.AuditIssuerRemoved, accounts.AuditDetail{Name: of.Name, Note: of.URL})
		if err != nil {
			return err
		}
		return w.openWithoutIssuers(ctx, tx, actor.Company.ID, actor.Account.ID)
	})
}

// openWithoutIssuers has a company that no issuer counts for any more open to all ways.
func (w *Workflows) openWithoutIssuers(ctx context.Context, tx *db.Tx, company id.Company, by accounts.ID) error {
	left, err := accounts.IssuersOf(ctx, tx.Queries, company)
	if err != nil || len(left) > 0 {
		return err
	}
	changed, err := accounts.RequireIssuer(ctx, tx, company, false)
	if err != nil || !changed {
		return err
	}
	return accounts.Record(ctx, tx, company, by, accounts.AuditIssuerOptional, accounts.AuditDetail{})
}

// RequireIssuer has the company open to sessions alone that one of its issuers opened, or to all again. It returns
// NotOwner, or IssuerUnproven: the owner has to come in by an issuer first, and to have recovery codes.
func (w *Workflows) RequireIssuer(ctx context.Context, session accounts.SessionID, required bool) error {
	return w.asOwner(ctx, "require an issuer", func(tx *db.Tx, actor accounts.Actor) error {
		kind := accounts.AuditIssuerOptional
		if required {
			kind = accounts.AuditIssuerNeeded
			if err := w.provesIssuer(ctx, tx, session, actor); err != nil {
				return err
			}
		}
		changed, err := accounts.RequireIssuer(ctx, tx, actor.Company.ID, required)
		if err != nil || !changed {
			return err
		}
		return audit(ctx, tx, actor, kind, accounts.AuditDetail{})
	})
}

func (w *Workflows) provesIssuer(
	ctx context.Context, tx *db.Tx, session accounts.SessionID, actor accounts.Actor,
) error {
	ways, err := accounts.WaysOf(ctx, tx.Queries, session, actor.Company.ID)
	if err != nil {
		return err
	}
	factors, err := accounts.FactorsOf(ctx, tx.Queries, actor.Account.ID)
	if err != nil {
		return err
	}
	if (accounts.Policy{Issuer: true}).Check(ways) != nil || factors.RecoveryCodes == 0 {
		return accounts.IssuerUnproven()
	}
	return nil
}

// AddIssuerRule adds a rule for a group at an issuer in the company. It returns NotOwner, IssuerNotFound, or what
// accounts.AddIssuerRule does.
func (w *Workflows) AddIssuerRule(ctx context.Context, issuer id.Issuer, rule accounts.IssuerRule) error {
	return w.onIssuer(ctx, "add a rule", issuer, func(tx *db.Tx, actor accounts.Actor, of accounts.Issuer) error {
		if err := accounts.AddIssuerRule(ctx, tx, actor.Company.ID, of, rule); err != nil {
			return err
		}
		detail := accounts.AuditDetail{Name: of.Name, Role: rule.Role, Note: rule.Claim}
		return audit(ctx, tx, actor, accounts.AuditIssuerRule, detail)
	})
}

// RemoveIssuerRule removes a rule of an issuer, if there is one. It returns NotOwner or IssuerNotFound.
func (w *Workflows) RemoveIssuerRule(ctx context.Context, issuer id.Issuer, rule id.IssuerRule) error {
	return w.onIssuer(ctx, "remove a rule", issuer, func(tx *db.Tx, actor accounts.Actor, of accounts.Issuer) error {
		removed, err := accounts.RemoveIssuerRule(ctx, tx, actor.Company.ID, issuer, rule)
		if err != nil || !removed {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditIssuerRuleGone, accounts.AuditDetail{Name: of.Name})
	})
}

// AddDomain adds a mail domain that the company has to verify. It returns NotOwner, or what accounts.AddDomain
// does.
func (w *Workflows) AddDomain(ctx context.Context, text string) error {
	return w.asOwner(ctx, "add a domain", func(tx *db.Tx, actor accounts.Actor) error {
		name, err := accounts.AddDomain(ctx, tx, actor.Company.ID, text)
		if err != nil {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditDomainAdded, accounts.AuditDetail{Name: name})
	})
}

// CheckDomain looks for the company's record of a domain, which is the company's from then on. It returns NotOwner,
// DomainNotFound, DomainUnproven, DomainUnreachable or DomainConflict.
func (w *Workflows) CheckDomain(ctx context.Context, domain id.Domain) error {
	actor, err := mayOwn(ctx)
	if err != nil {
		return err
	}
	of, err := accounts.DomainByID(ctx, w.db.Queries, actor.Company.ID, domain)
	if err != nil {
		return err
	}
	proven, err := of.Proves(ctx, w.resolver)
	if err != nil {
		return err
	}
	if !proven {
		return accounts.DomainUnproven(of.Name)
	}
	return w.asOwner(ctx, "verify a domain", func(tx *db.Tx, actor accounts.Actor) error {
		if err := accounts.HoldDomain(ctx, tx, of); err != nil {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditDomainVerified, accounts.AuditDetail{Name: of.Name})
	})
}

// RemoveDomain removes a domain of the company. It returns NotOwner or DomainNotFound.
func (w *Workflows) RemoveDomain(ctx context.Context, domain id.Domain) error {
	return w.asOwner(ctx, "remove a domain", func(tx *db.Tx, actor accounts.Actor) error {
		of, err := accounts.DomainByID(ctx, tx.Queries, actor.Company.ID, domain)
		if err != nil {
			return err
		}
		if err := accounts.RemoveDomain(ctx, tx, actor.Company.ID, domain); err != nil {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditDomainRemoved, accounts.AuditDetail{Name: of.Name})
	})
}

// domainsAtOnce is how many domains a round looks at.
const domainsAtOnce = 20

// RecheckDomains looks at some verified domains that are due, once a day each: one whose record is gone is not the
// company's any more. Of a name server that does not answer nothing follows. It returns how many it looked at.
func (w *Workflows) RecheckDomains(ctx context.Context) (int64, error) {
	due, err := accounts.DueDomains(ctx, w.db.Queries, w.db.Now(), domainsAtOnce)
	if err != nil {
		return 0, err
	}
	for _, domain := range due {
		if err := w.recheckDomain(ctx, domain); err != nil {
			return 0, fmt.Errorf("check a domain: %w", err)
		}
	}
	return int64(len(due)), nil
}

func (w *Workflows) recheckDomain(ctx context.Context, domain accounts.Domain) error {
	mine := false
	err := w.db.InTx(ctx, func(tx *db.Tx) (err error) {
		mine, err = accounts.TakeDueDomain(ctx, tx, domain)
		return err
	})
	if err != nil || !mine {
		return err
	}
	proven, err := domain.Proves(ctx, w.resolver)
	if err != nil || proven {
		return nil //nolint:nilerr // unreachable: tomorrow
	}
	return w.db.InTx(ctx, func(tx *db.Tx) error {
		lost, err := accounts.LoseDomain(ctx, tx, domain.ID)
		if err != nil || !lost {
			return err
		}
		detail := accounts.AuditDetail{Name: domain.Name, By: "daily check"}
		return accounts.Record(ctx, tx, domain.Company, 0, accounts.AuditDomainLost, detail)
	})
}

// ListIssuers returns the issuers that operators configured, for the command line.
func (w *Workflows) ListIssuers(ctx context.Context) ([]accounts.Issuer, error) {
	return accounts.IssuersOfOperators(ctx, w.db.Queries)
}

// CompaniesOfIssuer returns the companies that an issuer counts for.
func (w *Workflows) CompaniesOfIssuer(ctx context.Context, issuer id.Issuer) ([]accounts.IssuerCompany, error) {
	return accounts.CompaniesOfIssuer(ctx, w.db.Queries, issuer)
}

// AddIssuerOfOperator adds an issuer that counts for companies, for the command line. It returns BadIssuerField,
// BadIssuer or UnknownCompany.
func (w *Workflows) AddIssuerOfOperator(
	ctx context.Context, draft accounts.IssuerDraft, slugs []string,
) (issuer accounts.Issuer, err error) {
	parsed, err := w.checkIssuer(ctx, draft)
	if err != nil {
		return accounts.Issuer{}, err
	}
	var companies []id.Company
	for _, slug := range slugs {
		company, err := accounts.CompanyBySlug(ctx, w.db.Queries, slug)
		if err != nil {
			return accounts.Issuer{}, err
		}
		companies = append(companies, company.ID)
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if issuer, err = accounts.AddIssuer(ctx, tx, w.keys, 0, parsed, companies...); err != nil {
			return err
		}
		detail := accounts.AuditDetail{Name: issuer.Name, Note: issuer.URL}
		for _, company := range companies {
			if err := accounts.Record(ctx, tx, company, 0, accounts.AuditIssuerAdded, detail); err != nil {
				return err
			}
		}
		return accounts.RecordInstance(ctx, tx, 0, accounts.AuditIssuerAdded, detail)
	})
	if err != nil {
		return accounts.Issuer{}, fmt.Errorf("add an issuer: %w", err)
	}
	return issuer, nil
}

// RemoveIssuerOfOperator removes an issuer of an operator, for the command line. It returns IssuerNotFound, also for
// one of a company.
func (w *Workflows) RemoveIssuerOfOperator(ctx context.Context, issuer id.Issuer) error {
	of, err := accounts.IssuerByID(ctx, w.db.Queries, issuer)
	if err == nil && of.Company != 0 {
		err = accounts.IssuerNotFound()
	}
	if err != nil {
		return err
	}
	companies, err := w.CompaniesOfIssuer(ctx, issuer)
	if err != nil {
		return err
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := accounts.RemoveIssuer(ctx, tx, issuer); err != nil {
			return err
		}
		detail := accounts.AuditDetail{Name: of.Name, Note: of.URL}
		for _, c := range companies {
			if err := accounts.Record(ctx, tx, c.Company.ID, 0, accounts.AuditIssuerRemoved, detail); err != nil {
				return err
			}
			if err := w.openWithoutIssuers(ctx, tx, c.Company.ID, 0); err != nil {
				return err
			}
		}
		return accounts.RecordInstance(ctx, tx, 0, accounts.AuditIssuerRemoved, detail)
	})
	if err != nil {
		return fmt.Errorf("remove an issuer: %w", err)
	}
	return nil
}

// OpenToAllWays has the company with a slug open to all ways of signing in again, for the command line: its issuer and
// its owners' recovery codes are lost. It reports whether it required its issuer, and returns UnknownCompany.
func (w *Workflows) OpenToAllWays(ctx context.Context, slug string) (required bool, err error) {
	company, err := accounts.CompanyBySlug(ctx, w.db.Queries, slug)
	if err != nil {
		return false, err
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if required, err = accounts.RequireIssuer(ctx, tx, company.ID, false); err != nil || !required {
			return err
		}
		return accounts.Record(ctx, tx, company.ID, 0, accounts.AuditIssuerOptional, accounts.AuditDetail{})
	})
	if err != nil {
		return false, fmt.Errorf("open a company to all ways: %w", err)
	}
	return required, nil
}
