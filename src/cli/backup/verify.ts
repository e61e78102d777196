import { statSync } from "node:fs"
import { join } from "node:path"
import type { BackupManifest } from "../../../schemas/backup-manifest.ts"
import { EXIT, type ExitCode } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { DATABASE_NAME, KEYS_NAME } from "../../data/backup/backup-members.ts"
import { BackupRefusal } from "../../data/backup/backup-refusal.ts"
import { databaseFacts, requireSound } from "../../data/backup/copy-database.ts"
import { unpackBackup } from "../../data/backup/read-backup.ts"
import { requireKnownSchema } from "../../data/backup/schema-of-backup.ts"
import { readPassphrase } from "../../data/backup/sealed-keys.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { withTemporaryFolder } from "../temporary-folder.ts"
import { asBackupFault } from "./backup-fault.ts"

export const command: Command = {
  name: "backup verify",
  summary: "restore a backup into a temporary folder, check all of it and remove it again",
  operands: "FILE",
  flags: {
    expect: { help: "digest of the manifest, as backup printed it: notices an edited backup", value: "DIGEST" },
    "passphrase-file": { help: "also open the private keys with this passphrase", value: "FILE" },
    ...JSON_FLAG,
  },
  examples: ["backup verify ./backup.tar.zst"],
  async run(input) {
    const [file = ""] = input.operands
    try {
      return await withTemporaryFolder(file, (folder) => verify(input, file, folder))
    } catch (error) {
      throw asBackupFault(error)
    }
  },
}

async function verify(input: Input, file: string, folder: string): Promise<ExitCode> {
  const passphraseFile = input.text("passphrase-file")
  const passphrase = passphraseFile === undefined ? null : readPassphrase(passphraseFile)
  const work = input.progress
  work.step({ what: "unpacking the backup", number: { at: 1, of: 2 }, unit: "bytes" })
  const options = { expect: input.text("expect"), passphrase, work }
  const { manifest, manifestDigest, keys } = await unpackBackup(file, folder, options)
  const database = join(folder, DATABASE_NAME)
  const { size } = statSync(database)
  work.step({ what: "checking every page of the database", number: { at: 2, of: 2 }, size })
  requireSound(database)
  const pending = requireKnownSchema(database)
  if (pending.length === 0) await requireFacts(file, manifest, database)
  const holdsKeys = manifest.members.some(({ name }) => name === KEYS_NAME)
  const keyState = keys !== null ? `${keys.length} files open with the passphrase` : holdsKeys ? SEALED : NONE
  input.result(
    {
      file,
      manifest_digest: manifestDigest,
      manifest,
      pending_migrations: pending,
      keys: keys?.map(({ name }) => name) ?? null,
    },
    `ok    members   ${manifest.members.length}, each with the digest of the manifest
ok    database  every page and every reference; ${pending.length === 0 ? "the schema of this release" : `serve would apply ${pending.join(", ")}`}
ok    log       ${manifest.log.origin ?? "without a name"}, ${manifest.log.tree_size} leaves
note  keys      ${keyState}
made  ${manifest.created_at} by bizauth ${manifest.binary.version}, for ${manifest.environment}
manifest ${manifestDigest}${input.text("expect") === undefined ? "; compare it with the digest that backup printed" : ", as expected"}
`,
  )
  return EXIT.DONE
}

/** Only for the schema of this release, because the queries are made for it. */
async function requireFacts(file: string, manifest: BackupManifest, database: string): Promise<void> {
  const { publicKeys: _, ...facts } = await databaseFacts(database)
  const stated = { schema: manifest.schema, environment: manifest.environment, log: manifest.log }
  if (canonicalize(facts) === canonicalize(stated)) return
  throw new BackupRefusal("DAMAGED", `${file} says of its database what the database does not hold`)
}

const SEALED = "in the backup, not opened: --passphrase-file"
const NONE = "not in the backup"
