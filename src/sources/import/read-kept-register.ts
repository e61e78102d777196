/** Reads the kept bytes of a register into a staged snapshot. No database: it runs in a thread, because it takes minutes. */
import { statSync } from "node:fs"
import { adding, type LongWork, UNWATCHED } from "../../base/long-work.ts"
import { digestFiles } from "../../core/digest.ts"
import type { Finding } from "../records/adapter.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"
import { wholeDigest } from "./copy-file.ts"
import { isRefused, judge } from "./judge.ts"
import { keptPaths } from "./kept-files.ts"
import { REGISTER_RULES } from "./register-rules.ts"
import { Staging } from "./register-snapshot.ts"
import { snapshotFolder } from "./snapshot-files.ts"
import { registerSteps, UNCOMPARED, writeEntries } from "./write-register.ts"

export interface KeptRegister {
  /** Folder of all snapshots. */
  readonly root: string
  /** The snapshot whose bytes are read, and their digest as recorded. */
  readonly before: { readonly snapshotId: string; readonly rawSha256: string }
  /** Id of the new snapshot, which stays under its staging name. */
  readonly snapshotId: string
  /** Milliseconds. */
  readonly now: number
}

export type ReadRegister =
  | { readonly fault: string }
  | {
      readonly fault: null
      readonly version: string
      readonly entries: number
      readonly counts: Readonly<Record<string, number>>
      readonly findings: readonly Finding[]
      readonly partiesSha256: string
    }

export async function readKeptRegister(
  adapter: RegisterAdapter,
  { root, before, snapshotId, now }: KeptRegister,
  work: LongWork = UNWATCHED,
): Promise<ReadRegister> {
  const begin = registerSteps(work)
  const kept = keptPaths(snapshotFolder(root, adapter.id, before.snapshotId), adapter.id)
  const staging = new Staging(root, adapter.id, snapshotId)
  begin("COPY", { unit: "bytes", total: kept.reduce((sum, { path }) => sum + statSync(path).size, 0) })
  const files = staging.keepFiles({ files: kept }, adding(work))
  if (digestFiles(files) !== before.rawSha256) return { fault: "the kept files have other bytes than recorded" }
  const written = await writeEntries({ adapter, work, begin }, staging, files, [], now)
  const { entries, counts } = written.candidate
  const findings = judge(REGISTER_RULES, { ...written.candidate, ...UNCOMPARED }, null)
  if (isRefused(findings)) return { fault: findings.map(({ code }) => code).join(", ") }
  begin("DIGEST", { unit: "bytes", total: statSync(staging.registerPath).size })
  const partiesSha256 = `sha256:${await wholeDigest(staging.registerPath, adding(work))}`
  return { fault: null, version: written.reading.version, entries, counts, findings, partiesSha256 }
}
