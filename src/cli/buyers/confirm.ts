import { confirmBuyer } from "../../store/buyers/buyer-registration.ts"
import type { Command } from "../command.ts"
import { confirmCommand } from "../confirm-right.ts"

export const command: Command = confirmCommand({
  name: "buyers confirm",
  summary: "the organization and the named mandate keys were not revoked since the backup, so they count again",
  operands: "ID [KEY_ID…]",
  examples: [
    'buyers confirm org:example ed25519-kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k --data ./restored --reason "called back" --author "J. Doe"',
  ],
  confirm: ([organizationId = "", ...keyIds], confirming) => confirmBuyer({ organizationId, keyIds, ...confirming }),
  faults: {
    ORGANIZATION_UNKNOWN: ([organizationId]) => `no organization ${organizationId} that is not revoked`,
    KEY_UNKNOWN: ([organizationId]) => `${organizationId} has no such key that is not revoked`,
  },
  listedBy: "buyers list",
  json: ([organization, ...keys]) => ({ organization, keys, state: "ACTIVE" }),
  note: "Its other mandate keys stay paused. It delegates to its agents again.\n",
})
