import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { renewVerification } from "../../store/buyers/buyer-registration.ts"
import { type Command, DATA_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { VERIFICATION_FLAGS, verificationOf } from "./buyer-verification.ts"

export const command: Command = {
  name: "buyers renew",
  summary: "record that a buyer organization was verified again",
  operands: "ID",
  flags: { ...DATA_FLAG, ...VERIFICATION_FLAGS },
  examples: [
    `buyers renew org:example --data ./data --verification-method "register extract and call back" --verification-reference "file 2026-014" --verified-at "$(date -u +%FT00:00:00Z)" --valid-until "$(date -u -d '+1 year' +%FT00:00:00Z)" --verified-by "J. Doe"`,
  ],
  async run(input) {
    const organizationId = input.operands[0] ?? ""
    const verification = verificationOf(input, realMachine.now())
    const { store } = await openData(input)
    const renewed = await store.run(() => renewVerification(organizationId, verification)).finally(() => store.close())
    if (!renewed) {
      throw new CommandError(EXIT.NOT_FOUND, `no active organization ${organizationId}; see bizauth buyers list`)
    }
    input.result(
      { organization: organizationId, verified_until: verification.validUntil },
      `renewed  ${organizationId}, verified until ${verification.validUntil}\n`,
    )
    return EXIT.DONE
  },
}
