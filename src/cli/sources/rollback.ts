import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { rollBack } from "../../sources/import/roll-back.ts"
import { sharedOf } from "../../sources/machines/shared-database.ts"
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
    const source = needSource(id)
    const { engine, store, paths } = await openData(input)
    try {
      const result = await rollBack({
        store,
        machine: realMachine,
        root: paths.snapshots,
        shared: sharedOf(engine, realMachine),
        source,
        work: input.progress,
      })
      if (result.outcome === "NOTHING_KEPT") {
        throw new CommandError(EXIT.NOT_FOUND, `no earlier snapshot of ${id} is kept`)
      }
      if (result.outcome === "NOT_HERE") {
        throw new CommandError(
          EXIT.NOT_CHECKED,
          `${result.snapshot.snapshotId}, the kept snapshot of ${id}, is not on this machine, and the database cannot give it: roll back on a machine that has it, or copy its folder to ${result.folder}`,
        )
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
