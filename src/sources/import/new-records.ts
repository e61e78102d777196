/**
 * A publication of a register on its way to a snapshot: its files are copied into a staging folder, and the entries are written beside them as
 * one SQLite file while they are read. The folder appears under its name complete or not at all. No database: it also runs in a thread.
 */
import { mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { writeNewFile } from "../../base/durable-file.ts"
import { adding, stepsOf } from "../../base/long-work.ts"
import { onFileLater } from "../../store/engine/sqlite/database-fault.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { contentKey } from "../publishers/content-version.ts"
import type { Finding } from "../records/adapter.ts"
import type { RegisterAdapter, RegisterFile, RegisterReading } from "../records/register-adapter.ts"
import { copyWithDigest, wholeDigest } from "./copy-file.ts"
import { type Active, isRefused, judge } from "./judge.ts"
import { type Begun, type KeptFile, type NewSnapshot, type Read, type Terms, UNCOMPARED } from "./kept.ts"
import { type Input, pathOf } from "./read-input.ts"
import { manifestFindings } from "./read-manifest.ts"
import { countRemoved, RegisterDamaged, RegisterWriter } from "./register-file.ts"
import { REGISTER_RULES, type RegisterCandidate } from "./register-rules.ts"
import {
  MANIFEST_FILE,
  type Manifest,
  publishFolder,
  REGISTER_FILE,
  STAGING_PREFIX,
  snapshotFolder,
} from "./snapshot-files.ts"

const STEPS = ["COPY", "READ", "INDEX", "COMPARE", "DIGEST"] as const
const WORDS: Readonly<Record<(typeof STEPS)[number], string>> = {
  COPY: "copying the files",
  READ: "reading the rows",
  INDEX: "building the index",
  COMPARE: "comparing with the register in use",
  DIGEST: "computing the digest of the register",
}

export class NewRecords implements NewSnapshot {
  readonly #begin
  readonly #folder: string
  readonly #register: string
  #files: readonly RegisterFile[] = []
  #inputFindings: readonly Finding[] = []
  #candidate: Omit<RegisterCandidate, keyof Terms> | null = null

  constructor(
    private readonly adapter: RegisterAdapter,
    private readonly begun: Begun,
  ) {
    const { root, snapshotId, work } = begun
    this.#begin = stepsOf({ work, steps: STEPS, words: WORDS, trace: () => {} })
    this.#folder = join(root, adapter.id, STAGING_PREFIX + snapshotId)
    this.#register = join(this.#folder, REGISTER_FILE)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
  }

  async take({
    files,
    manifest,
    findings,
  }: Pick<Input, "files" | "manifest" | "findings">): Promise<readonly KeptFile[]> {
    const { work } = this.begun
    this.#begin("COPY", { unit: "bytes", total: files.reduce((sum, file) => sum + statSync(pathOf(file)).size, 0) })
    const onCopied = adding(work)
    this.#files = files.map((file) => {
      const path = join(this.#folder, file.name)
      return { ...file, path, ...copyWithDigest(pathOf(file), path, onCopied) }
    })
    this.#inputFindings = [...findings, ...manifestFindings(manifest, this.#files)]
    return this.#files.map(({ path: _, ...file }) => file)
  }

  async read(): Promise<Read> {
    const { reading, candidate } = await this.#write()
    this.#candidate = candidate
    const { version, timestamp, timestampFrom = "CONTENT", failed } = reading
    const { entries, counts, isReadable } = candidate
    // Every file of a register is used, or it is rejected. The packed digests count, because to unpack gigabytes again takes minutes.
    const content = contentKey(this.#files.map(({ sha256 }) => sha256))
    return { version, timestamp, timestampFrom, content, entries, failed, counts, isReadable }
  }

  judge(terms: Terms | null, _actives: readonly SnapshotRow[]): readonly Finding[] {
    const candidate = { ...this.#read, ...(terms ?? UNCOMPARED) }
    if (terms === null) return judge(REGISTER_RULES, candidate, null)
    this.#begin("COMPARE", { size: statSync(this.#register).size })
    const { active } = this.begun
    return judge(REGISTER_RULES, candidate, active && candidate.isReadable ? this.#activeOf(active) : null)
  }

  async publish(manifest: Manifest, known?: string): Promise<string> {
    const digest = known ?? (await this.digest())
    const { root, snapshotId } = this.begun
    writeNewFile(join(this.#folder, MANIFEST_FILE), [`${JSON.stringify(manifest, null, 2)}\n`])
    publishFolder(this.#folder, snapshotFolder(root, this.adapter.id, snapshotId))
    return digest
  }

  /** Returns the digest of the register, `sha256:` and hex. */
  async digest(): Promise<string> {
    this.#begin("DIGEST", { unit: "bytes", total: statSync(this.#register).size })
    return `sha256:${await wholeDigest(this.#register, adding(this.begun.work))}`
  }

  /** After `publish` the folder has another name. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** If the reading is rejected, its entries get no index. */
  async #write(): Promise<{ reading: RegisterReading; candidate: Omit<RegisterCandidate, keyof Terms> }> {
    const { work } = this.begun
    const total = this.#files.reduce((sum, { bytes }) => sum + bytes, 0)
    return await onFileLater("the register", this.#register, async () => {
      const writer = new RegisterWriter(this.#register)
      this.#begin("READ", { unit: "bytes", total })
      try {
        const reading = await this.adapter.read(
          this.#files,
          (entry) => writer.add(entry),
          (rows, bytes) => work.done(Math.min(total, bytes), { also: `${rows} rows` }),
        )
        const candidate = this.#candidateOf(reading, writer.entries)
        if (isRefused(judge(REGISTER_RULES, { ...candidate, ...UNCOMPARED }, null))) return { reading, candidate }
        this.#begin("INDEX", { size: statSync(this.#register).size })
        const duplicates = writer.finish()
        return { reading, candidate: { ...candidate, isReadable: true, duplicates, entries: writer.entries } }
      } finally {
        writer.close()
      }
    })
  }

  #candidateOf({ findings, timestamp, declaredRecords, rows, counts }: RegisterReading, entries: number) {
    return {
      ...{ inputFindings: this.#inputFindings, readingFindings: findings, isReadable: false, now: this.begun.now },
      ...{ shrinkFloor: this.adapter.shrinkFloor, timestamp, declaredRecords, rows, entries },
      ...{ counts: { rows, ...counts }, duplicates: { same: 0, different: 0 } },
    }
  }

  #activeOf(row: SnapshotRow): Active {
    try {
      const count = countRemoved(registerPath(this.begun.root, row), this.#register)
      return { row, fault: null, removed: { count, of: row.entries } }
    } catch (error) {
      if (error instanceof RegisterDamaged) return { row, fault: error.message, removed: null }
      throw error
    }
  }

  get #read(): Omit<RegisterCandidate, keyof Terms> {
    if (this.#candidate === null) throw new TypeError("the files were not read")
    return this.#candidate
  }
}

export function registerPath(root: string, row: Pick<SnapshotRow, "sourceId" | "snapshotId">): string {
  return join(snapshotFolder(root, row.sourceId, row.snapshotId), REGISTER_FILE)
}
