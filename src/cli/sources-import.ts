import { commaList } from "../config.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { formatInstant, parseInstant } from "../core/time.ts"
import { realMachine } from "../machine.ts"
import { importSnapshot, statedRetrieval } from "../sources/import-snapshot.ts"
import { InputError } from "../sources/input-error.ts"
import type { SourceId } from "../sources/party.ts"
import { INPUT_LIMITS, type ReadInput, readInput } from "../sources/read-input.ts"
import { type Command, type Input, JSON_FLAG } from "./command.ts"
import { CommandError, EXIT } from "./exit.ts"
import { importAsJson, importForPeople } from "./import-report.ts"
import { CONFIG_FLAGS, openData, readSettings } from "./inputs.ts"
import { manifestKeys } from "./manifest-keys.ts"
import { asImportRefusal, needSource } from "./source-argument.ts"

export const command: Command = {
  name: "sources import",
  summary: "import one publication of a source from files, a folder, or an svc-snapshot-1 folder or .tar",
  operands: "ID PATH…",
  flags: {
    ...CONFIG_FLAGS,
    "retrieved-at": { help: "when the files were retrieved, RFC 3339; only earlier than the files say", value: "T" },
    "accept-shrink": {
      help: "accept exactly these bytes although they are much smaller, larger, emptier or older than the active snapshot: the raw digest a refusal printed",
      value: "SHA256",
    },
    ...JSON_FLAG,
  },
  async run(input) {
    const [id = "", ...paths] = input.operands
    const adapter = needSource(id)
    const acceptShrink = acceptedDigest(input)
    const pinned = manifestKeys(commaList(readSettings(input).config.source_manifest_keys))
    const files = read(paths, adapter.id, pinned)
    const options = { retrievedAt: retrievedAt(input, files), acceptShrink }
    const { store, paths: data } = await openData(input)
    try {
      const context = { store, machine: realMachine, root: data.snapshots, adapter }
      const report = await importSnapshot(context, files, options)
      input.out(input.on("json") ? `${canonicalize(importAsJson(report))}\n` : importForPeople(report))
      return report.imported ? EXIT.DONE : EXIT.INVALID
    } catch (error) {
      throw asImportRefusal(error)
    } finally {
      await store.close()
    }
  },
}

function acceptedDigest(input: Input): string | null {
  const text = input.text("accept-shrink")
  if (text === undefined) return null
  const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/.exec(text) ?? []
  if (!hex) throw new CommandError(EXIT.USAGE, "--accept-shrink is the raw digest as a refusal printed it")
  return `sha256:${hex}`
}

function read(paths: readonly string[], id: SourceId, pinned: readonly string[]): ReadInput {
  try {
    return readInput(paths, id, INPUT_LIMITS, pinned)
  } catch (error) {
    throw error instanceof InputError ? new CommandError(EXIT.NOT_CHECKED, error.message) : error
  }
}

/** Said later than the files themselves say, a list would look fresher than it is. */
function retrievedAt(input: Input, files: ReadInput): number | null {
  const text = input.text("retrieved-at")
  if (text === undefined) return null
  const at = parseInstant(text)
  if (at === null) throw new CommandError(EXIT.USAGE, "--retrieved-at must be an RFC 3339 date-time")
  const stated = statedRetrieval(files)
  if (at > stated) {
    throw new CommandError(
      EXIT.USAGE,
      `--retrieved-at may only be earlier than the files say: ${formatInstant(stated)}`,
    )
  }
  return at
}
