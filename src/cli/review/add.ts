import { Value } from "@sinclair/typebox/value"
import { RECUSALS_MAX, Recusal } from "../../../schemas/review.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { formatInstant } from "../../core/time.ts"
import { addReviewer, REVIEWERS_MAX } from "../../store/review/review-register.ts"
import { textOf } from "../buyers/buyer-verification.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { nameOf } from "./reviewer-name.ts"

export const command: Command = {
  name: "review add",
  summary:
    "enter a person who will review, and from whose cases this person is recused; the person enrols a passkey at the desk",
  operands: "NAME",
  flags: {
    ...DATA_FLAG,
    recuse: {
      help: "an organization as org:ID or a wallet as payer:0x…, whose cases the person never judges; may be repeated",
      value: "WHO",
      repeats: true,
    },
    "break-glass": {
      help: "admit the person's next key without the approvals that the policy asks for, and why; every export shows it",
      value: "WHY",
    },
    ...JSON_FLAG,
  },
  examples: ['review add "R. Reviewer" --recuse org:acme --data ./data'],
  async run(input) {
    const name = nameOf(input.operands[0] ?? "")
    const recusals = recusalsOf(input)
    const breakGlass = input.text("break-glass") === undefined ? null : textOf(input, "break-glass", 1000)
    const { store } = await openData(input)
    const added = await store
      .run(() =>
        addReviewer(
          {
            reviewerId: formatId("rev", realMachine.random(ID_RANDOM_BYTES)),
            addedAt: formatInstant(realMachine.now()),
            ...{ name, recusals, breakGlass },
          },
          RECUSALS_MAX,
        ),
      )
      .finally(() => store.close())
    if (added === "TOO_MANY") {
      throw new CommandError(EXIT.INVALID, `${REVIEWERS_MAX} reviewers are entered, which is the maximum`)
    }
    if (added === "TOO_MANY_RECUSALS") throw tooManyRecusals()
    if (added === "ENROLLED") {
      throw new CommandError(
        EXIT.INVALID,
        `${plainText(name)} has keys that were enrolled without these recusals: revoke them first (bizauth review revoke), and then add the recusals and enrol the person again`,
      )
    }
    const shown = added.recusals.length === 0 ? "none" : added.recusals.join(", ")
    const glass = added.breakGlass === null ? "" : `break glass  ${plainText(added.breakGlass)}\n`
    input.result(
      { reviewer: added.reviewerId, name: added.name, recusals: added.recusals, break_glass: added.breakGlass },
      `added    ${added.reviewerId}  ${plainText(added.name)}\nrecused  ${shown}\n${glass}`,
    )
    return EXIT.DONE
  },
}

function recusalsOf(input: Input): readonly string[] {
  const given = input.list("recuse").map((one) => (one.startsWith("payer:") ? one.toLowerCase() : one))
  const wrong = given.find((one) => !Value.Check(Recusal, one))
  if (wrong !== undefined) {
    throw new CommandError(EXIT.USAGE, `--recuse takes org:ID or payer:0x and 40 hex digits, not ${plainText(wrong)}`)
  }
  if (new Set(given).size > RECUSALS_MAX) throw tooManyRecusals()
  return [...new Set(given)]
}

function tooManyRecusals(): CommandError {
  return new CommandError(EXIT.USAGE, `one person is recused from at most ${RECUSALS_MAX} organizations and wallets`)
}
