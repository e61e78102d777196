/**
 * What agent sales knows of the rest of the service: the served rows, what is sold now, and the state of the sources in memory. It is here
 * because agent mode may import neither the sources nor the product that describes the service.
 */

import type { SourceLine } from "../../agent-mode/conversation/sales/sales-catalogue.ts"
import type { AgentSalesDeps } from "../../agent-mode/deps.ts"
import { agentIdBootstrap } from "../../products/agent-id/descriptor.ts"
import type { Service } from "../service.ts"

export function agentSalesDeps(service: Service): AgentSalesDeps {
  const { shell, store, machine, config, delivery, environment, baseUrl } = service
  const { served } = shell
  if (!served) throw new Error("agent sales prints the served rows")
  return {
    shell,
    store,
    machine,
    environment,
    signer: () => service.keys.current(),
    signerOrNull: () => service.keys.currentOrNull(),
    refreshKeys: () => service.keys.refresh(),
    findKey: (keyId) => service.keys.find(keyId),
    baseUrl: () => baseUrl,
    isOn: { sales: config.sales, beacon: config.intent_beacon },
    catalogue: {
      operations: () => served.rows(),
      sold: [...delivery.products.values()],
      network: () => delivery.payments?.chain.asset.network ?? null,
      isReady: (priceAtomic) => delivery.notReady(priceAtomic).length === 0,
      sources: (country, at) => sourceLines(service, country, at),
      hasSandbox: () => config.sandbox,
      servesJobs: () => config.acp_jobs,
      hasMailbox: () => config.mail === "smtp",
    },
    identity: () => agentIdBootstrap({ baseUrl, issuerName: config.issuer_name }),
  }
}

/** The lists that the products of one country screen. The UK products also read the register of companies. */
function sourceLines({ sources, gbSources, registers }: Service, country: "GB" | "US", at: number): SourceLine[] {
  if (country === "US") return sources.states(at).map(({ sourceId, health }) => ({ sourceId, health }))
  const lists = gbSources.states(at)
  const register = registers.states(at).filter(({ sourceId }) => sourceId === "UK_COMPANIES_HOUSE")
  return [...lists, ...register].map(({ sourceId, health }) => ({ sourceId, health }))
}
