package admin

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views/admin"
)

// addChoices offers what the parameters of the form refer to, by the company in its values.
func (h *Handlers) addChoices(ctx context.Context, props *admin.NewRunProps) error {
	if !props.RefersTo(migrations.ToCompany) {
		return nil
	}
	list, err := h.console.Choices(ctx, props.Values["company"])
	if err != nil {
		return err
	}
	companies := admin.Choice{Whole: !list.MoreCompanies && len(list.Companies) > 0}
	for _, of := range list.Companies {
		companies.Options = append(companies.Options, option(of.Company.Slug, of.Company.Name))
	}
	boards, members := admin.Choice{Whole: !list.MoreBoards}, admin.Choice{Whole: !list.MoreMembers}
	for _, board := range list.Boards {
		boards.Options = append(boards.Options, option(board.Slug, board.Title))
	}
	for _, member := range list.Members {
		members.Options = append(members.Options, option(member.Account.Email, member.Account.Name))
	}
	switch _, mine := companies.Option(props.Values["company"]); {
	case props.Values["company"] == "":
		boards.None, members.None = "Choose a company first", "Choose a company first"
	case !mine:
		boards.Whole, members.Whole = false, false
	case len(boards.Options) == 0:
		boards.None = "The company has no boards"
	}
	boards.Whole, members.Whole = boards.Whole && companies.Whole, members.Whole && companies.Whole
	props.Choices = map[migrations.Reference]admin.Choice{
		migrations.ToCompany: companies, migrations.ToBoard: boards, migrations.ToMember: members,
	}
	return nil
}

func option(value, name string) migrations.Option {
	return migrations.Option{Value: value, Label: name + " (" + value + ")"}
}

// fillIn sets the parameters that a link names, and those that follow from the caller: the only company, the user as the
// member. What is not among the choices of the company is left out.
func (h *Handlers) fillIn(ctx context.Context, props *admin.NewRunProps, get func(string) string, user string) error {
	named := map[migrations.Reference]string{}
	for _, param := range props.Migration.Params {
		if value := get(admin.ParamField(param.Name)); value != "" && param.Kind != migrations.Secret {
			props.Values[param.Name] = value
		}
		if param.Refers != "" {
			named[param.Refers] = param.Name
		}
	}
	if err := h.addChoices(ctx, props); err != nil {
		return err
	}
	companies := props.Choices[migrations.ToCompany]
	only := companies.Whole && len(companies.Options) == 1
	if only && props.RefersTo(migrations.ToBoard) && props.Values["company"] == "" {
		props.Values["company"] = companies.Options[0].Value
		if err := h.addChoices(ctx, props); err != nil {
			return err
		}
	}
	if name, ok := named[migrations.ToMember]; ok && props.Values[name] == "" {
		props.Values[name] = user
	}
	for _, to := range []migrations.Reference{migrations.ToBoard, migrations.ToMember} {
		choice, name := props.Choices[to], named[to]
		if _, ok := choice.Option(props.Values[name]); name != "" && choice.Whole && !props.Typed && !ok {
			delete(props.Values, name)
		}
	}
	return nil
}
