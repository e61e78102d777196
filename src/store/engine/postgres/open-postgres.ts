/** Opens the database that the text of a secret file names, or says why not. */
import { atFirstUse } from "../../../core/at-first-use.ts"
import { poolerRefusal, sessionStates } from "./pooler-probe.ts"
import { PostgresEngine } from "./postgres-engine.ts"
import { PostgresStore } from "./postgres-store.ts"
import { onPrimary } from "./primary.ts"
import { readTarget } from "./target-text.ts"

/**
 * Rejects with an error whose message is for the operator: the text is wrong, no host can be reached, or what answers cannot be used. None has
 * the text or its password. `schema`: of the tables.
 */
export async function openPostgres(text: string, schema?: string): Promise<PostgresEngine> {
  const target = readTarget(text, schema)
  await onPrimary(target, async (client) => {
    const refusal = poolerRefusal(await sessionStates(await client.reserve(), await client.reserve()))
    if (refusal !== null) throw new Error(refusal)
  })
  return new PostgresEngine(
    (use) => onPrimary(target, use),
    atFirstUse(() => new PostgresStore(target)),
  )
}
