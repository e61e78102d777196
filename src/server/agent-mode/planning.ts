import type { PlanningDeps } from "../../agent-mode/planning/planning-deps.ts"
import type { RequiredSource } from "../../delivery/sale.ts"
import type { AnswerRequest } from "../../products/common/answer-rules.ts"
import { listsWithoutAccepted } from "../../products/us/payment-decision/without-accepted.ts"
import type { SourceBoard } from "../../sources/boards/source-board.ts"
import { requestStaleAt } from "../../sources/boards/source-fact.ts"
import type { Service } from "../service.ts"
import { verifyPassport } from "./passport-verifier.ts"

/** What planning needs of a running service. It is here because it reads a product and the lists, which agent mode may not import. */
export function planningDeps(service: Service): PlanningDeps {
  const { shell, store, keys, config } = service
  const lists = listsWithoutAccepted(service.sources)
  return {
    shell,
    store,
    signer: () => keys.current(),
    refreshKeys: () => keys.refresh(),
    findKey: (keyId) => keys.find(keyId),
    verifyPassport,
    baseUrl: () => service.baseUrl,
    operations: () => shell.served.rows(),
    sourcesOf: (productId, maxAgeSeconds, at) =>
      productId === service.paymentDecision.product.id
        ? listSources(lists, maxAgeSeconds, at)
        : answerSources(service, productId, maxAgeSeconds, at),
    isUkRegisterLive: config.uk_companies_house_key_file !== null,
    paymentsMode: config.payments,
    isOn: config.agent_mode_planning,
  }
}

/** The lists as a Payment Decision needs them. */
function listSources(lists: Pick<SourceBoard, "states">, maxAgeSeconds: number, at: number): readonly RequiredSource[] {
  return lists.states(at).map((state) => ({
    sourceId: state.sourceId,
    health: state.health,
    reasonCodes: state.reasonCodes,
    staleAt: requestStaleAt(state, maxAgeSeconds),
  }))
}

function answerSources(
  { answers }: Service,
  productId: string,
  maxAgeSeconds: number,
  at: number,
): readonly RequiredSource[] {
  const slice = answers.find(({ product }) => product.id === productId)
  if (!slice) throw new Error(`no product ${productId} is sold`)
  const { product } = slice
  // The US products read the accepted age of a request and nothing else of it. The UK products have one age for all requests.
  const request = { freshness_requirements: { max_age_seconds: maxAgeSeconds, evaluated_at: "" } }
  return product.sources(product.country === "US" ? (request as unknown as AnswerRequest) : null, at)
}
