import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import type { ImportContext } from "../../sources/import/import-snapshot.ts"
import { type RolledBack, rollBack } from "../../sources/import/roll-back.ts"
import { rollBackRegister } from "../../sources/import/roll-back-register.ts"
import { registerAdapterOf } from "../../sources/register-registry.ts"
import { type Command, DATA_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { asImportRefusal, needSource } from "./source-argument.ts"

export const command: Command = {
  name: "sources rollback",
  summary: "activate the kept snapshot before the active one; no later rollback returns to the replaced one",
  operands: "ID",
  flags: DATA_FLAG,
  examples: ["sources rollback US_OFAC_SDN --data ./data"],
  async run(input) {
    const [id = ""] = input.operands
    const rollBackIn = rollbackOf(id)
    const { store, paths } = await openData(input)
    try {
      const result = await rollBackIn({
        store,
        machine: realMachine,
        root: paths.snapshots,
        work: input.progress,
      })
      if (result.outcome === "NOTHING_KEPT") {
        throw new CommandError(EXIT.NOT_FOUND, `no earlier snapshot of ${id} is kept`)
      }
      if (result.outcome === "UNREADABLE") {
        throw new CommandError(EXIT.NOT_CHECKED, `the kept snapshot of ${id} is damaged: ${result.fault}`)
      }
      const { sourceVersion, retrievedAt, snapshotId } = result.snapshot
      input.result(
        { source: id, version: sourceVersion, retrieved_at: retrievedAt, snapshot: snapshotId },
        `active  ${id}  ${sourceVersion}  retrieved ${retrievedAt}  ${snapshotId}\n`,
      )
      return EXIT.DONE
    } catch (error) {
      throw asImportRefusal(error)
    } finally {
      await store.close()
    }
  },
}

function rollbackOf(id: string): (place: Omit<ImportContext, "adapter" | "environment">) => Promise<RolledBack> {
  const register = registerAdapterOf(id)
  if (register) return (place) => rollBackRegister({ ...place, adapter: register })
  const adapter = needSource(id)
  return (place) => rollBack({ ...place, adapter })
}
