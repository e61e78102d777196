import { offeringSchema } from "../../discovery/offering-schema.ts"
import { EXIT } from "../../exit.ts"
import type { Command } from "../command.ts"
import { writeNewFile } from "../documents/write-output.ts"

export const command: Command = {
  name: "agent job schema",
  summary: "print the requirement of the ACP offering as JSON Schema draft-07, for the provider listing",
  operands: "",
  flags: { out: { help: "new file; default standard output", value: "FILE" } },
  async run(input) {
    const text = `${JSON.stringify(offeringSchema(), null, 2)}\n`
    const out = input.text("out")
    if (out === undefined) input.out(text)
    else writeNewFile(out, text)
    return EXIT.DONE
  },
}
