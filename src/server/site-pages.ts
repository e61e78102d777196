/** The pages for people, over a running service. */
import { getOpenapi } from "../../schemas/discovery/openapi.ts"
import { getGbExecution, getUsExecution } from "../../schemas/executions.ts"
import type { Operation } from "../../schemas/operation.ts"
import { VERSION } from "../base/build-facts.ts"
import { judgeSaleOf } from "../delivery/judge-sale.ts"
import type { RequiredSource } from "../delivery/sale.ts"
import { soldOperations } from "../discovery/sold.ts"
import type { Reply } from "../http/call.ts"
import type { Route } from "../http/route.ts"
import { deliveryRoute } from "../pages/delivery-route.ts"
import { docsRoutes } from "../pages/docs/docs-routes.ts"
import { faviconRoute } from "../pages/favicon-route.ts"
import { homeRoute } from "../pages/home-route.ts"
import type { Site } from "../pages/site.ts"
import type { StatusContent, Switch } from "../pages/status-page.ts"
import { statusRoute } from "../pages/status-route.ts"
import { verifyRoute } from "../pages/verify-route.ts"
import { MARK_SVG } from "../products/agent-id/mark.ts"
import { readByExecution } from "../products/common/country-routes.ts"
import { readTreeHead } from "../store/log/transparency-log.ts"
import type { Service } from "./service.ts"

interface SitePages {
  readonly routes: readonly Route[]
  /** `/` for a browser; null for a machine. */
  readonly home: (headers: Headers) => Reply | null
}

export function siteOf({ config, baseUrl }: Pick<Service, "config" | "baseUrl">): Site {
  return { issuerName: config.issuer_name, baseUrl }
}

/** `operations` is called on first use, when every route is registered. */
export function sitePages(service: Service, operations: () => readonly Operation[]): SitePages {
  const { shell, environment, keys, documents } = service
  const site = siteOf(service)
  const openapi = async () => {
    const document = (await documents.current()).documents.get(getOpenapi.id)
    if (!document) throw new Error("no OpenAPI document is printed")
    return new TextDecoder().decode(document.bytes)
  }
  return {
    home: homeRoute({ site, environment, operations, signingKeys: () => keys.signingKeys() }),
    routes: [
      statusRoute({ shell, site, status: (at) => statusOf(service, operations(), at) }),
      verifyRoute({ shell, site, jwks: () => keys.jwks(), markSvg: MARK_SVG }),
      ...docsRoutes({ shell, site, openapi }),
      deliveryRoute({ shell, site, store: service.store, environment, jsonPaths: jsonPathsOf(service) }),
      faviconRoute(shell),
    ],
  }
}

/** Where the JSON of an answer is, by its product. */
function jsonPathsOf({ slices }: Service): ReadonlyMap<string, string> {
  const paths = { US: getUsExecution.path, GB: getGbExecution.path }
  return new Map(readByExecution(slices).map(({ product }) => [product.id, paths[product.country]]))
}

/** Whether one product is sold now. */
export interface ProductNow {
  readonly operationId: string
  readonly productId: string
  readonly summary: string
  readonly jurisdiction: string
  /** Code of the refusal; null if it is sold. */
  readonly whyNot: string | null
  /** The sources that it requires. */
  readonly sources: readonly RequiredSource[]
}

/** `operations`: every served row. `at` in milliseconds. */
export function productsNow(
  { delivery }: Pick<Service, "delivery">,
  operations: readonly Operation[],
  at: number,
): Promise<readonly ProductNow[]> {
  return Promise.all(
    soldOperations(operations).map(async ({ id, product, summary }) => {
      const { refusal, sources } = await judgeSaleOf(delivery, product.id, at)
      const { jurisdiction } = product
      return { operationId: id, productId: product.id, summary, jurisdiction, whyNot: refusal?.code ?? null, sources }
    }),
  )
}

async function statusOf(
  service: Service,
  operations: readonly Operation[],
  at: number,
): Promise<Omit<StatusContent, "asOf">> {
  const { config, environment, readiness, store, sources, gbSources, registers } = service
  const products = await productsNow(service, operations, at)
  const head = await store.read(readTreeHead)
  return {
    version: VERSION,
    environment,
    reasons: await readiness.currentReasons(),
    products,
    lists: [...sources.states(at), ...gbSources.states(at)],
    registers: registers.states(at),
    network: config.payments === "off" ? null : service.network.asset.network,
    log: {
      origin: service.logOrigin,
      size: head.size,
      rootHash: Buffer.from(head.rootHash).toString("hex"),
      earlierOrigins: service.earlierOrigins.map(({ origin }) => origin),
    },
    switches: switchesOf(service),
  }
}

function switchesOf({ config, jobRail }: Service): readonly Switch[] {
  return [
    { name: "Payments", isOn: config.payments !== "off" },
    { name: "On-chain jobs", isOn: jobRail !== null },
    { name: "Contact by e-mail", isOn: config.mail !== "off" },
    { name: "Agent ID: new challenges", isOn: config.challenge_issuance },
    { name: "Agent ID: verification of signatures", isOn: config.signature_verification },
    { name: "Agent mode: planning", isOn: config.agent_mode_planning },
    { name: "Sandbox journeys", isOn: config.sandbox },
    { name: "Sales dialogues", isOn: config.sales },
    { name: "Intent Beacon", isOn: config.intent_beacon },
    { name: "Rate limits", isOn: config.rate_limits },
  ]
}
