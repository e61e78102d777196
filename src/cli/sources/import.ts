import { EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { importSource } from "../../sources/import/import-source.ts"
import {
  findInput,
  type Input as ImportInput,
  INPUT_LIMITS,
  REGISTER_INPUT_LIMITS,
  readInput,
  statedRetrieval,
} from "../../sources/import/read-input.ts"
import type { Source } from "../../sources/import/source.ts"
import { sharedOf } from "../../sources/machines/shared-database.ts"
import { type Command, JSON_FLAG } from "../command.ts"
import { CONFIG_FLAGS, openData, readSettings } from "../inputs.ts"
import { IMPORT_FLAGS, importOptions } from "./import-options.ts"
import { importAsJson, importForPeople } from "./import-report.ts"
import { inUseFor } from "./in-use.ts"
import { manifestKeys } from "./manifest-keys.ts"
import { asImportRefusal, asInputRefusal, needSource } from "./source-argument.ts"

export const command: Command = {
  name: "sources import",
  summary: "import one publication of a source from files, a folder, or an svc-snapshot-1 folder or .tar",
  operands: "ID PATH…",
  flags: {
    ...CONFIG_FLAGS,
    ...IMPORT_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    "sources import US_OFAC_SDN ./lists/US_OFAC_SDN --data ./data",
    "sources import UK_COMPANIES_HOUSE ./lists/UK_COMPANIES_HOUSE --data ./data",
  ],
  async run(input) {
    const [id = "", ...paths] = input.operands
    const { config } = readSettings(input)
    const pinned = manifestKeys(config.source_manifest_keys ?? [])
    const source = needSource(id)
    const files = read(paths, source, pinned)
    const options = importOptions(input, statedRetrieval(files))
    const { engine, store, paths: data, environment } = await openData(input)
    try {
      const shared = sharedOf(engine, realMachine)
      const place = { store, machine: realMachine, root: data.snapshots, shared }
      const context = { ...place, environment, source, work: input.progress }
      const report = await importSource(context, files, options)
      if (input.on("json")) input.out(`${canonicalize(importAsJson(report))}\n`)
      else {
        // First what was done: it stays done whatever happens next.
        input.out(importForPeople(report))
        if (report.imported) input.out(`\n${await inUseFor(input, config, store)}`)
      }
      return report.imported ? EXIT.DONE : EXIT.INVALID
    } catch (error) {
      throw asImportRefusal(error)
    } finally {
      await store.close()
    }
  },
}

function read(paths: readonly string[], { kind, id }: Source, pinned: readonly string[]): ImportInput {
  try {
    return kind === "LIST"
      ? readInput(paths, id, INPUT_LIMITS, pinned)
      : findInput(paths, id, REGISTER_INPUT_LIMITS, pinned)
  } catch (error) {
    throw asInputRefusal(error)
  }
}
