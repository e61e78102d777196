/** Rehearses a draft on this machine: the first day of an operator who has lists and no buyer, chain or network. */

import { ServiceError } from "../../base/errors.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { isJsonObject } from "../../core/strict-json.ts"
import { openSandboxSigner } from "../../keys/sandbox-key.ts"
import { type RehearsalResult, rehearse } from "../../sandbox/rehearsal/rehearse.ts"
import { routes } from "../../server/app.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { writeNewFile } from "../documents/write-output.ts"
import { CONFIG_FLAGS, openData, readSettings } from "../inputs.ts"
import { clockOf, seedOf } from "../sandbox/journey-start.ts"
import { openOwnLists } from "./own-lists.ts"
import { rehearsalReport, type Said, saidBy } from "./rehearsal-report.ts"

export const command: Command = {
  name: "rehearse",
  summary:
    "decide a draft of any paid product on your own lists, with a synthetic buyer and no payment (0 may go on, 9 not, 3 refused, 4 no decision)",
  operands: "REQUEST.json",
  flags: {
    ...CONFIG_FLAGS,
    product: { help: "product of the draft; needed if its members fit several products", value: "ID" },
    seed: { help: "whole number that decides every synthetic key and id (default 0)", value: "N" },
    clock: { help: "time of the rehearsal, RFC 3339 (default now); the lists are judged at it", value: "T" },
    out: { help: "new file for the signed result", value: "FILE" },
    ...JSON_FLAG,
  },
  examples: ["rehearse ./check.json --product us.company.check.v1 --data ./data"],
  run: (input) => runRehearsal(input, realMachine),
}

/** CHOICE: 0 and 9 are decisions, 3 is a refusal by the route, and 4 is no decision, so a script needs no output to tell them apart. */
const EXITS: Readonly<Record<Said, ExitCode>> = {
  DECIDED_YES: EXIT.DONE,
  DECIDED_NO: EXIT.NOT_PERMITTED,
  REFUSED: EXIT.INVALID,
  UNDECIDED: EXIT.NOT_CHECKED,
}

async function runRehearsal(input: Input, machine: Machine): Promise<ExitCode> {
  const [path] = input.operands
  const draft = await readDocumentJson(path ?? "")
  if (!isJsonObject(draft)) throw new CommandError(EXIT.USAGE, `${path} is not an object`)
  const result = await rehearsed(input, {
    draft,
    productId: input.text("product"),
    seed: seedOf(input),
    clock: clockOf(input, machine.now()),
  })
  const out = input.text("out")
  const text = `${JSON.stringify(result.response)}\n`
  if (out !== undefined) writeNewFile(out, text)
  input.out(input.on("json") ? text : rehearsalReport(result))
  return EXITS[saidBy(result)]
}

async function rehearsed(input: Input, given: Parameters<typeof rehearse>[2]): Promise<RehearsalResult> {
  const { config } = readSettings(input)
  const data = await openData(input)
  const { store, paths } = data
  try {
    const signer = await openSandboxSigner(store, paths.keys, config.issuer_id)
    const lists = await openOwnLists(input, data, given.clock)
    try {
      input.progress.step({ what: "rehearsing" })
      return await rehearse(lists, { signer, routes }, given)
    } finally {
      lists.close()
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const places = (error.context.errors ?? []).map(({ pointer, expected }) => `\n  ${pointer}: ${expected}`)
    throw new CommandError(EXIT.USAGE, `nothing was rehearsed: ${error.detail}${places.join("")}`)
  } finally {
    await store.close()
  }
}
