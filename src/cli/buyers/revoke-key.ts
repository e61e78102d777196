import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { formatInstant, parseInstant } from "../../core/time.ts"
import { revokeMandateKey } from "../../store/buyers/buyer-registration.ts"
import { type Command, DATA_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { reasonOf } from "./revoke.ts"

export const command: Command = {
  name: "buyers revoke-key",
  summary:
    "revoke a mandate key with every delegation and mandate it signed, and the destinations it authorized since TIME",
  operands: "ID KEY_ID",
  flags: {
    ...DATA_FLAG,
    since: { help: "time since when the key counts as lost, RFC 3339", value: "TIME", required: true },
    reason: { help: "why, for the record", value: "TEXT", required: true },
  },
  examples: [
    'buyers revoke-key org:example ed25519-kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k --data ./data --since 2026-01-01T00:00:00Z --reason "the laptop was stolen"',
  ],
  async run(input) {
    const [organizationId = "", keyId = ""] = input.operands
    const reason = reasonOf(input)
    const now = realMachine.now()
    const since = parseInstant(input.need("since"))
    if (since === null || since > now) {
      throw new CommandError(EXIT.USAGE, "--since must be an RFC 3339 date-time that is not in the future")
    }
    const { store } = await openData(input)
    try {
      const outcome = await store.run(() =>
        revokeMandateKey({ organizationId, keyId, since: formatInstant(since), reason, at: formatInstant(now) }),
      )
      if (outcome === "KEY_UNKNOWN") {
        throw new CommandError(EXIT.NOT_FOUND, `${organizationId} has no key ${keyId}; see bizauth buyers list`)
      }
      if (outcome === "ALREADY_REVOKED") {
        throw new CommandError(EXIT.INVALID, `${keyId} is already revoked since that time or an earlier one`)
      }
    } finally {
      await store.close()
    }
    const lostSince = formatInstant(since)
    input.result(
      { organization: organizationId, key: keyId, state: "REVOKED", since: lostSince },
      `REVOKED  ${keyId} since ${lostSince}\nDelegations and mandates it signed no longer count, whenever they were signed.\n`,
    )
    return EXIT.DONE
  },
}
