/** Forgeries of each kind of document: one member changed in every part of it, and one bit anywhere. */
import { canonicalize } from "../../../src/core/canonical-json.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { formatInstant, MINUTE } from "../../../src/core/time.ts"
import { IN_TIME } from "../../cli/documents/deliverable-files.ts"
import { WHILE_VALID } from "../../cli/documents/verified-files.ts"
import { chance } from "../../fixtures/chance.ts"
import { edits } from "../../fixtures/json-edits.ts"
import { atLength, SEED, sample } from "../../fixtures/long.ts"
import { type Files, SERVED_AT } from "./corpus-files.ts"

interface Forged {
  /** The document to forge. */
  readonly file: string
  /** The line to give it to, which names it as FORGED. */
  readonly line: string
}

const SERVED = formatInstant(SERVED_AT + MINUTE / 2)
const JOB = "--requirement job-final.json --job job-job.json"

const KINDS: readonly Forged[] = [
  { file: "delivery.json", line: `FORGED --issuer jwks.json --request request.json --at ${WHILE_VALID}` },
  { file: "bundle.json", line: `FORGED --issuer jwks.json --at ${WHILE_VALID}` },
  { file: "answer.json", line: `FORGED --issuer jwks.json --capsule capsule.json --at ${WHILE_VALID}` },
  { file: "capsule.json", line: `answer.json --issuer jwks.json --capsule FORGED --at ${WHILE_VALID}` },
  { file: "passport.json", line: `FORGED --issuer jwks.json --check answer.json --at ${WHILE_VALID}` },
  { file: "jwks.json", line: `delivery.json --issuer FORGED --at ${WHILE_VALID}` },
  { file: "job-good.json", line: `FORGED --issuer job-jwks.json ${JOB} --at ${IN_TIME}` },
  { file: "job-final.json", line: `job-good.json --issuer job-jwks.json --requirement FORGED --at ${IN_TIME}` },
  { file: "manifest.json", line: `FORGED --issuer service-jwks.json --document postman.json --at ${SERVED}` },
  { file: "proof.json", line: `FORGED --issuer service-jwks.json --document manifest.json --at ${SERVED}` },
  { file: "sandbox.json", line: "FORGED --sandbox --issuer sandbox-key.json" },
]

/** Members that are parts of a document themselves. */
const OPENED =
  /^\/(proof_capsule|payload|signature|answer|capsule|delivery|response|keys)(\/(0|proof_capsule|payload|signature))?$/

/** The smallest parts: members of the document, and of the members above. */
function partOf(pointer: string): string {
  const names = pointer.split("/").slice(1)
  let part = `/${names[0]}`
  for (const name of names.slice(1)) {
    if (!OPENED.test(part)) break
    part += `/${name}`
  }
  return part
}

export function forgedFiles(files: Files): { readonly files: Files; readonly lines: readonly string[] } {
  const made: Record<string, Uint8Array | string> = {}
  const lines: string[] = []
  for (const [kind, { file, line }] of KINDS.entries()) {
    const content = files[file] ?? ""
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
    const changed = [...oneInEachPart(JSON.parse(new TextDecoder().decode(bytes)), kind), ...flipped(bytes, kind)]
    for (const [at, forged] of changed.entries()) {
      const name = `forged-${at}-${file}`
      made[name] = forged
      lines.push(line.replace("FORGED", name))
    }
  }
  return { files: made, lines }
}

function oneInEachPart(document: JsonValue, kind: number): string[] {
  const byPart = Map.groupBy(edits(document), ({ pointer }) => partOf(pointer))
  const one = [...byPart.values()].flatMap((found, at) => sample(found, 1, SEED + 1000 * kind + at, false))
  return sample(one, 1, SEED + kind).map(({ value }) => canonicalize(value))
}

function flipped(bytes: Uint8Array, kind: number): Uint8Array[] {
  const random = chance(SEED + kind)
  return Array.from({ length: atLength(1, 20) }, () => {
    const copy = bytes.slice()
    const at = Math.floor(random() * copy.length)
    copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8))
    return copy
  })
}
