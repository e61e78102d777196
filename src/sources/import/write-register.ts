/** Writes the entries of a publication into the staged file of its register, for an import and for a second reading of kept bytes. */
import { statSync } from "node:fs"
import { type LongWork, stepsOf } from "../../base/long-work.ts"
import { onFileLater } from "../../store/engine/database-fault.ts"
import type { Finding } from "../records/adapter.ts"
import type { RegisterAdapter, RegisterFile, RegisterReading } from "../records/register-adapter.ts"
import { isRefused } from "./judge-import.ts"
import { readingFindings } from "./judge-register.ts"
import { type Duplicates, RegisterWriter } from "./register-file.ts"
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
  readonly entries: number
  /** Null if the reading is already rejected; then nothing was indexed. */
  readonly duplicates: Duplicates | null
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
      const read = writer.entries
      if (isRefused(readingFindings({ reading, inputFindings, entries: read, now }))) {
        return { reading, entries: read, duplicates: null }
      }
      begin("INDEX", { size: statSync(staging.registerPath).size })
      const duplicates = writer.finish()
      return { reading, entries: writer.entries, duplicates }
    } finally {
      writer.close()
    }
  })
}
