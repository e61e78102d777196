/** Opens the database that the text of a secret file names, or says why not. */
import { realMachine } from "../../../base/machine.ts"
import type { DatabaseNames, EngineOptions } from "../engine.ts"
import { DatabaseRefused } from "../store-error.ts"
import { poolerRefusal, sessionStates } from "./pooler-probe.ts"
import { PostgresEngine } from "./postgres-engine.ts"
import { PostgresStore } from "./postgres-store.ts"
import { hostText, type PostgresTarget } from "./postgres-target.ts"
import { inTime, onPrimary } from "./primary.ts"
import { readTarget } from "./target-text.ts"

interface PostgresOptions extends Pick<EngineOptions, "clock"> {
  /** Of the tables. */
  readonly schema?: string
}

/** Rejects with {@link DatabaseRefused}: the text is wrong, no host can be reached, or what answers cannot be used. */
export async function openPostgres(
  text: string,
  { schema, clock = realMachine }: PostgresOptions = {},
): Promise<PostgresEngine> {
  const target = readTarget(text, schema)
  await onPrimary(target, async (reserve) => {
    const refusal = poolerRefusal(await inTime(sessionStates(await reserve(), await reserve())))
    if (refusal !== null) throw new DatabaseRefused(`${namesOf(target).name}: ${refusal}`)
  })
  return new PostgresEngine(
    namesOf(target),
    (use) => onPrimary(target, use),
    () => new PostgresStore(target, { machine: { ...realMachine, now: () => clock.now() } }),
  )
}

function namesOf({ hosts, database }: PostgresTarget): DatabaseNames {
  return {
    name: `the database ${database} of PostgreSQL at ${hosts.map(hostText).join(",")}`,
    newest: "the newest state of the database, from PostgreSQL's own backup and its write-ahead log",
    ifLost: "record the gap with bizauth database restored --backup-at TIME",
    mend: "put back the newest state of the database from PostgreSQL's own backup, or record an earlier one with bizauth database restored",
    remains: (directory) => `${directory} and the database`,
  }
}
