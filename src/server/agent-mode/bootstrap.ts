/** What the bootstrap of agents knows of a running service. It is here because it names the documents of discovery, a layer above agent mode. */
import { acceptBeaconEvent, grantBeaconConsent } from "../../../schemas/agent-mode/beacon-operations.ts"
import { JOURNEYS, REHEARSAL, runSyntheticJourney } from "../../../schemas/agent-mode/journeys.ts"
import { holdDialogue } from "../../../schemas/agent-mode/sales-operations.ts"
import type { BootstrapDeps } from "../../agent-mode/bootstrap/bootstrap.ts"
import type { RecentKeys } from "../../agent-mode/bootstrap/recent-keys.ts"
import { atFirstUse } from "../../core/at-first-use.ts"
import { mediaTypeOf } from "../../discovery/links.ts"
import { publicDocuments } from "../../discovery/public-documents.ts"
import { soldOperations } from "../../discovery/sold.ts"
import { unlimited } from "../../http/rate-limit.ts"
import { agentIdBootstrap } from "../../products/agent-id/descriptor.ts"
import { disabledOperations } from "../disabled-operations.ts"
import type { Service } from "../service.ts"

/** The rows are complete only once every route is registered, so what follows from them is computed at the first request. */
export function bootstrapDeps(service: Service, recentKeys: RecentKeys): BootstrapDeps {
  const { shell, store, config, baseUrl } = service
  const operations = atFirstUse(() => shell.served.rows())
  return {
    shell,
    store,
    recentKeys,
    baseUrl: () => baseUrl,
    identity: atFirstUse(() => agentIdBootstrap({ baseUrl, issuerName: config.issuer_name })),
    operations,
    unavailable: atFirstUse(
      () =>
        new Set([
          ...disabledOperations(config),
          ...(config.sales ? [] : [holdDialogue.id]),
          ...(config.intent_beacon ? [] : [grantBeaconConsent.id, acceptBeaconEvent.id]),
          ...(config.payments === "off" ? soldOperations(operations()).map(({ id }) => id) : []),
          ...(config.sandbox ? [] : [runSyntheticJourney.id]),
        ]),
    ),
    documents: atFirstUse(() =>
      publicDocuments(operations()).map((row) => ({ uri: `${baseUrl}${row.path}`, media_type: mediaTypeOf(row) })),
    ),
    sandbox: { isOn: config.sandbox, journeys: atFirstUse(() => journeysOf(service)) },
    isPlanningOn: config.agent_mode_planning,
    countsCalls: shell.limiter !== unlimited,
  }
}

/** Names of the journeys that run here now. */
function journeysOf({ shell, config, environment }: Service): readonly string[] {
  if (!config.sandbox || shell.served.find(runSyntheticJourney.id) === undefined) return []
  return config.sandbox_rehearsal && environment === "test" ? [...JOURNEYS, REHEARSAL] : JOURNEYS
}
