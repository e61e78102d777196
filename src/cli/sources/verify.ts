/** Verifies a received snapshot without a data directory and without an import, or the snapshots that a data directory stores. */
import { existsSync } from "node:fs"
import { EXIT } from "../../base/exit.ts"
import type { LongWork } from "../../base/long-work.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { formatInstant } from "../../core/time.ts"
import { isRefused } from "../../sources/import/judge.ts"
import type { SignatureState } from "../../sources/import/manifest-signature.ts"
import { type VerifiedSnapshot, verifySnapshot } from "../../sources/import/verify-snapshot.ts"
import type { Counts } from "../../sources/records/adapter.ts"
import { sourceOf } from "../../sources/registry.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { verifyKept } from "../documents/verify-kept.ts"
import { keysNamed } from "./manifest-keys.ts"
import { asInputRefusal } from "./source-argument.ts"

export const command: Command = {
  name: "sources verify",
  summary: "check a snapshot archive or folder offline; with a source id, check the snapshots in the data directory",
  operands: "FILE|DIR|ID",
  flags: {
    ...DATA_FLAG,
    key: {
      help: "public keys, or .pub files of sources keygen, comma-separated: one of them must have signed",
      value: "PUBLIC",
      repeats: true,
    },
    ...JSON_FLAG,
  },
  examples: ["sources verify ./sdn.tar --key ./lists.key.pub", "sources verify US_OFAC_SDN --data ./data"],
  async run(input) {
    const [operand = ""] = input.operands
    const kept = existsSync(operand) ? null : sourceOf(operand)
    if (kept) return verifyKept(input, kept)
    const snapshot = await verified(operand, keysNamed(input.list("key")), input.progress)
    input.out(input.on("json") ? `${canonicalize(asJson(snapshot))}\n` : forPeople(snapshot))
    return isRefused(snapshot.findings) ? EXIT.INVALID : EXIT.DONE
  },
}

async function verified(path: string, keys: readonly string[], work: LongWork): Promise<VerifiedSnapshot> {
  try {
    return await verifySnapshot(path, keys, { now: realMachine.now(), work })
  } catch (error) {
    throw asInputRefusal(error)
  }
}

function asJson(snapshot: VerifiedSnapshot) {
  const { signature, read } = snapshot
  return {
    version: 1,
    valid: !isRefused(snapshot.findings),
    source_id: snapshot.sourceId,
    retrieved_at: formatInstant(snapshot.retrievedAt),
    raw_sha256: snapshot.rawSha256,
    ...(read
      ? {
          source_version: read.version,
          source_timestamp: read.timestamp,
          parser_version: read.parserVersion,
          counts: read.counts,
        }
      : { bytes: snapshot.bytes }),
    signature: { state: signature.state, key_id: "keyId" in signature ? signature.keyId : null },
    findings: snapshot.findings,
  }
}

function forPeople(snapshot: VerifiedSnapshot): string {
  const { findings, read } = snapshot
  const word = isRefused(findings) ? "invalid" : "valid"
  const lines = [
    ...(read
      ? [`${word}  ${snapshot.sourceId}  ${read.version}`, `  ${countsLine(read.counts)}`]
      : [`${word}  ${snapshot.sourceId}`, `  ${snapshot.bytes} bytes; only sources import reads its rows`]),
    `  retrieved ${formatInstant(snapshot.retrievedAt)}  raw ${snapshot.rawSha256}`,
    `  signature  ${SIGNATURE[snapshot.signature.state](snapshot.signature)}`,
    ...findings.map(
      ({ code, severity, detail, file }) => `  ${severity}  ${code}  ${file ? `${file}: ` : ""}${detail}`,
    ),
    "  not compared with any active snapshot: sources import does that",
  ]
  return `${lines.join("\n")}\n`
}

function countsLine(counts: Counts): string {
  return `entries ${counts.entries}  aliases ${counts.aliases}  addresses ${counts.addresses}  rows ${counts.rows}`
}

const keyOf = (signature: SignatureState) => ("keyId" in signature ? signature.keyId : "")
const SIGNATURE: Readonly<Record<SignatureState["state"], (signature: SignatureState) => string>> = {
  VALID: (signature) => `valid, by ${keyOf(signature)}`,
  ABSENT: () => "none",
  OTHER_KEY: (signature) => `by ${keyOf(signature)}, not checked: none of the keys given with --key`,
  INVALID: (signature) => ("why" in signature ? signature.why : ""),
}
