/** Writes the entries of a publication into the staged file of its register, for an import and for a second reading of kept bytes. */
import { statSync } from "node:fs"
import { type LongWork, stepsOf } from "../../base/long-work.ts"
import { onFileLater } from "../../store/engine/database-fault.ts"
import type { Finding } from "../records/adapter.ts"
import type { RegisterAdapter, RegisterFile, RegisterReading } from "../records/register-adapter.ts"
import { isRefused, judge } from "./judge.ts"
import { RegisterWriter } from "./register-file.ts"
import { REGISTER_RULES, type RegisterCandidate } from "./register-rules.ts"
import type { Staging } from "./register-snapshot.ts"

const STEPS = ["COPY", "READ", "INDEX", "COMPARE", "DIGEST"] as const
const WORDS: Readonly<Record<(typeof STEPS)[number], string>> = {
  COPY: "copying the files",
  READ: "reading the rows",
  INDEX: "building the index",
  COMPARE: "comparing with the register in use",
  DIGEST: "computing the digest of the register",
}

/** Returns the function that begins a step of an import. */
export function registerSteps(work: LongWork) {
  return stepsOf({ work, steps: STEPS, words: WORDS, trace: () => {} })
}

export interface Written {
  readonly reading: RegisterReading
  /** What is known of it without the snapshot in use. If it is not readable, nothing was indexed. */
  readonly candidate: Omit<RegisterCandidate, "published" | "retrievedAt" | "accepted">
}

interface Reader {
  readonly adapter: RegisterAdapter
  readonly work: LongWork
  readonly begin: ReturnType<typeof registerSteps>
}

export async function writeEntries(
  { adapter, work, begin }: Reader,
  staging: Staging,
  files: readonly RegisterFile[],
  inputFindings: readonly Finding[],
  now: number,
): Promise<Written> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  return await onFileLater("the register", staging.registerPath, async () => {
    const writer = new RegisterWriter(staging.registerPath)
    begin("READ", { unit: "bytes", total })
    try {
      const reading = await adapter.read(
        files,
        (entry) => writer.add(entry),
        (rows, bytes) => work.done(Math.min(total, bytes), { also: `${rows} rows` }),
      )
      const candidate = {
        ...{ inputFindings, readingFindings: reading.findings, isReadable: false, now, entries: writer.entries },
        ...{ timestamp: reading.timestamp, declaredRecords: reading.declaredRecords, rows: reading.rows },
        ...{ shrinkFloor: adapter.shrinkFloor, counts: countsKept(reading), duplicates: { same: 0, different: 0 } },
      }
      if (isRefused(judge(REGISTER_RULES, { ...candidate, ...UNCOMPARED }, null))) return { reading, candidate }
      begin("INDEX", { size: statSync(staging.registerPath).size })
      const duplicates = writer.finish()
      return { reading, candidate: { ...candidate, isReadable: true, duplicates, entries: writer.entries } }
    } finally {
      writer.close()
    }
  })
}

/** Of a publication that is not compared with the snapshot in use. */
export const UNCOMPARED = { published: null, retrievedAt: 0, accepted: false }

/** Returns the stored counts of a snapshot. The next import compares with them. */
function countsKept({ rows, counts }: RegisterReading): Readonly<Record<string, number>> {
  return { rows, ...counts }
}
