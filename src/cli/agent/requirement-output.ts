import type { AcpRequirement, AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import type { Input } from "../command.ts"
import { writeNewFile } from "../documents/write-output.ts"

/**
 * Writes a requirement to the new file of `--out` and reports what it wrote, or prints it where there is no such flag. `digests` are the
 * members of the report; `done` is the word for what was done, and `next` says what to do now.
 */
export function writeRequirement(
  input: Input,
  requirement: AcpRequirement | AcpRequirementDraft,
  { done, digests, next }: { done: string; digests: Readonly<Record<string, string>>; next: string },
): void {
  const out = input.text("out")
  const text = `${JSON.stringify(requirement, null, input.on("json") ? 0 : 2)}\n`
  if (out === undefined) {
    input.out(text)
    return
  }
  writeNewFile(out, text)
  if (input.on("json")) {
    input.out(`${JSON.stringify({ version: 1, file: out, ...digests })}\n`)
    return
  }
  const named = Object.entries(digests).map(([name, digest]) => [name.replace("_", " "), digest])
  const lines = [[done, out], ...named, ["next", next]]
  input.out(lines.map(([name = "", value]) => `${name.padEnd(20)}${value}\n`).join(""))
}
