import type { PlanningDeps } from "../../agent-mode/planning/planning-deps.ts"
import type { RequiredSource } from "../../delivery/sale.ts"
import type { AnswerRequest } from "../../products/common/answer-rules.ts"
import { sliceOf } from "../../products/product-slices.ts"
import type { Service } from "../service.ts"
import { verifyPassport } from "./passport-verifier.ts"

/** What planning needs of a running service. It is here because it reads the products, which agent mode may not import. */
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
    isUkRegisterLive: config.uk_companies_house_key_file !== null,
    paymentsMode: config.payments,
    isOn: config.agent_mode_planning,
  }
}

function sourcesOf(
  { slices }: Service,
  productId: string,
  maxAgeSeconds: number,
  at: number,
): readonly RequiredSource[] {
  const { product } = sliceOf(slices, productId)
  // The US products read the accepted age of a request and nothing else of it. The UK products have one age for all requests.
  const request = { freshness_requirements: { max_age_seconds: maxAgeSeconds, evaluated_at: "" } }
  return product.sources(product.country === "US" ? (request as unknown as AnswerRequest) : null, at)
}
