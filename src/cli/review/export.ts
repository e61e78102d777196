import { originOf } from "../../base/config.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { formatInstant } from "../../core/time.ts"
import { keysIn } from "../../keys/key-places.ts"
import { KeyRing } from "../../keys/key-ring.ts"
import { DOCUMENT_BYTES_MAX } from "../../offline/steps/read.ts"
import { reviewExport } from "../../review/export-records.ts"
import { logOrigin } from "../../store/log/log-origin.ts"
import { EXPORTED_MAX, readReviews } from "../../store/review/review-export.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { writeNewFile } from "../documents/write-output.ts"
import { CONFIG_FLAGS, openData, readSettings } from "../inputs.ts"
import { needNumber } from "./case-number.ts"

export const command: Command = {
  name: "review export",
  summary:
    "write what reviewers recorded, with assertions, keys and proofs of the log, as one file that verifies elsewhere",
  operands: "",
  flags: {
    ...CONFIG_FLAGS,
    case: {
      help: "only records about these cases and about reviewers, such as 17,18; may be repeated",
      value: "CASE",
      repeats: true,
    },
    out: { help: "new file (default standard output)", value: "FILE" },
    ...JSON_FLAG,
  },
  examples: ["review export --data ./data --out ./reviews.json"],
  async run(input) {
    const numbers = numbersOf(input)
    const { config } = readSettings(input)
    const { store, paths, environment } = await openData(input)
    let bytes: Uint8Array
    try {
      const facts = await store.read(() => readReviews(numbers))
      if (facts === "TOO_MANY") throw tooLarge(`more than ${EXPORTED_MAX} records`)
      const origin = await store.read(logOrigin)
      if (origin === null) {
        throw new CommandError(EXIT.NOT_FOUND, "nothing was recorded: the log has no name before a service has run")
      }
      const missing = (numbers ?? []).find((number) => !facts.cases.some(({ caseNumber }) => caseNumber === number))
      if (missing !== undefined) throw new CommandError(EXIT.NOT_FOUND, `no case ${missing}; see bizauth review list`)
      const keys = await KeyRing.open({
        ...{ store, heldKey: keysIn(paths.keys), issuer: config.issuer_id, machine: realMachine },
        othersVersion: () => 0,
      })
      bytes = reviewExport(facts, {
        signer: keys.current(),
        logKey: keys.logKey(),
        logOrigin: origin,
        audience: facts.records[0]?.record.audience ?? originOf(config),
        environment,
        issuedAt: formatInstant(realMachine.now()),
        numbers,
      })
    } finally {
      await store.close()
    }
    if (bytes.length > DOCUMENT_BYTES_MAX) throw tooLarge(`more than the ${DOCUMENT_BYTES_MAX} bytes that verify reads`)
    const out = input.text("out")
    if (out === undefined) input.out(new TextDecoder().decode(bytes))
    else {
      writeNewFile(out, bytes)
      input.result({ exported: out }, `exported  ${out}\n`)
    }
    return EXIT.DONE
  },
}

function numbersOf(input: Input): readonly number[] | null {
  const given = input.list("case").map(needNumber)
  if (given.length > 1_000) throw new CommandError(EXIT.USAGE, "--case takes at most 1000 cases")
  return given.length === 0 ? null : [...new Set(given)]
}

function tooLarge(what: string): CommandError {
  return new CommandError(EXIT.INVALID, `this export has ${what}: export fewer cases at once with --case`)
}
