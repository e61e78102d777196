import type { AnswerRequest } from "./business-answers/answer-rules.ts"
import type { RequiredSource } from "./delivery/sale.ts"
import { verifyPassport } from "./passport-verifier.ts"
import type { PlanningDeps } from "./products/agent-mode/planning/planning-deps.ts"
import { listsWithoutAccepted } from "./products/us/payment-decision/without-accepted.ts"
import type { Service } from "./service.ts"
import { requestStaleAt } from "./sources/lists/source-fact.ts"

/** What planning needs of a running service. */
export function planningDeps(service: Service): PlanningDeps {
  const { shell, store, keys, config } = service
  return {
    shell,
    store,
    signer: () => keys.current(),
    refreshKeys: () => keys.refresh(),
    findKey: (keyId) => keys.find(keyId),
    verifyPassport,
    baseUrl: () => service.baseUrl,
    operations: () => shell.served.rows(),
    sourcesOf: (productId, maxAgeSeconds, at) => sourcesOf(service, productId, maxAgeSeconds, at),
    isUkRegisterLive: config.uk_companies_house_key_file !== "",
    paymentsMode: config.payments === "live" ? "live" : config.payments === "off" ? "off" : "test",
    isOn: config.agent_mode_planning === "on",
  }
}

function sourcesOf(
  { paymentDecision, answers, sources }: Service,
  productId: string,
  maxAgeSeconds: number,
  at: number,
): readonly RequiredSource[] {
  if (productId === paymentDecision.id) {
    return listsWithoutAccepted(sources)
      .states(at)
      .map((state) => ({
        sourceId: state.sourceId,
        health: state.health,
        reasonCodes: state.reasonCodes,
        staleAt: requestStaleAt(state, maxAgeSeconds),
      }))
  }
  const slice = answers.find(({ product }) => product.id === productId)
  if (!slice) throw new Error(`no product ${productId} is sold`)
  const { product } = slice
  // The US products read the accepted age of a request and nothing else of it. The UK products have one age for all requests.
  const request = { freshness_requirements: { max_age_seconds: maxAgeSeconds, evaluated_at: "" } }
  return product.sources(product.country === "US" ? (request as unknown as AnswerRequest) : null, at)
}
