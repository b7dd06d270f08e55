//go:build !job

package questions

import "github.com/blq-ci/blq/query"

// These are the questions about contracts between repositories.
var (
	RealmStatus = New(Row{
		Name: "realm_status", About: "Show the members of the realm, its domains, contracts and bindings",
		Tool: "realm_status", Access: ofRealm, Command: "realm status",
	}, (*query.Asker).RealmStatus)

	ContractGet = New(Row{
		Name: "contract_get", About: "Show a contract with its schema, and who is bound to it",
		Tool: "contract_get", Access: ofRealm, Command: "realm contract", Positional: byContract,
	}, (*query.Asker).ContractGet)

	Notifications = New(Row{
		Name: "notifications_list", About: "List the notifications of this repository about changed contracts",
		Tool: "notifications_list", Access: ofRealm, Command: "realm notifications", Positional: byState,
	}, (*query.Asker).NotificationsList)
)
