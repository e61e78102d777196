import { CommandError, EXIT } from "../../base/exit.ts"
import { deliverableSchema, offering, requirementSchema } from "../../discovery/job-schemas.ts"
import type { Command } from "../command.ts"
import { writeNewFile } from "../documents/write-output.ts"

/** The first is the default. */
const DOCUMENTS: Readonly<Record<string, () => object>> = {
  requirement: requirementSchema,
  offering,
  deliverable: deliverableSchema,
}

export const command: Command = {
  name: "agent job schema",
  summary:
    "print the requirement (default) or deliverable of an ACP job as JSON Schema draft-07, or the whole offering for the provider listing",
  operands: "[requirement|offering|deliverable]",
  flags: { out: { help: "new file; default standard output", value: "FILE" } },
  examples: ["agent job schema", "agent job schema offering --out ./offering.json"],
  async run(input) {
    const [name = "requirement"] = input.operands
    const document = Object.hasOwn(DOCUMENTS, name) ? DOCUMENTS[name] : undefined
    if (document === undefined) {
      throw new CommandError(EXIT.USAGE, `no document ${name}; there are ${Object.keys(DOCUMENTS).join(", ")}`)
    }
    const text = `${JSON.stringify(document(), null, 2)}\n`
    const out = input.text("out")
    if (out === undefined) input.out(text)
    else writeNewFile(out, text)
    return EXIT.DONE
  },
}
