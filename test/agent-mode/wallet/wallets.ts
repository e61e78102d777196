/** A service with two agents that import artifacts into their wallets. */
import type { AgentExportBundle } from "../../../schemas/agent-id/export.ts"
import { importProofWalletArtifact } from "../../../schemas/agent-mode/proof-wallet.ts"
import { DAY, formatInstant, MINUTE } from "../../../src/core/time.ts"
import type { TestAgent } from "../../fixtures/agent.ts"
import { databaseOf } from "../../fixtures/database-of.ts"
import { DECIDED_AT } from "../../fixtures/decision.ts"
import { agentService, type Told } from "../agent-service.ts"
import type { SigningChanges } from "../signed-calls.ts"
import * as made from "./artifacts.ts"

interface Wanted {
  readonly environment?: "LIVE" | "SANDBOX"
  readonly key?: string
  readonly mode?: "DIGEST_ONLY" | "SIGNED_DOCUMENT"
  readonly until?: string
  readonly as?: TestAgent
  readonly changes?: SigningChanges
}

export async function openWallets(settings: Parameters<typeof agentService>[0] = {}) {
  const service = await agentService(settings)
  const agent = await service.enrol()
  const other = await service.enrol()
  const bundles: AgentExportBundle[] = [
    await made.exportBundle(service, agent),
    await made.exportBundle(service, other),
  ]
  // Not in the history of the service's keys, so later bundles are no longer consistent.
  made.adoptIssuer(service)
  service.clock.set(DECIDED_AT + 10 * MINUTE)
  let serial = 0
  const requestOf = (type: string, document: unknown, wanted: Wanted = {}) => ({
    schema_version: "1.0.0",
    contract_version: "1.0.0",
    environment: wanted.environment ?? "LIVE",
    idempotency_key: wanted.key ?? `import-${++serial}-key`,
    artifact: { artifact_type: type, document },
    retention: {
      mode: wanted.mode ?? "DIGEST_ONLY",
      until: wanted.until ?? formatInstant(service.clock.now() + 30 * DAY),
    },
  })
  return {
    service,
    agent,
    other,
    bundles,
    requestOf,
    bring: (type: string, document: unknown, wanted: Wanted = {}): Promise<Told> =>
      service.call(wanted.as ?? agent, importProofWalletArtifact, requestOf(type, document, wanted), wanted.changes),
    count: (table: string) =>
      (databaseOf(service.service.dataDirectory).query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n,
  }
}

export type Wallets = Awaited<ReturnType<typeof openWallets>>

/** The delivery of a UK answer as its buyer got it. */
export const uk = ({ copies, capsule }: ReturnType<typeof made.gbPayment>) => ({
  answer: made.parsed(copies.paid),
  capsule,
})

// biome-ignore lint/suspicious/noExplicitAny: edits of documents of many kinds.
type Any = any
/** A changed copy. */
export const edit = <T>(document: T, change: (copy: Any) => void): T => {
  const copy = structuredClone(document)
  change(copy)
  return copy
}
