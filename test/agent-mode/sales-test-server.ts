/** The routes of agent sales over a real database file, with one enrolled agent. Several servers may share the file. */
import type { Database } from "bun:sqlite"
import type { Operation } from "../../schemas/operation.ts"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { releasePaymentDecision } from "../../schemas/us/operations.ts"
import type { CatalogueParts, SoldLine } from "../../src/agent-mode/conversation/sales/sales-catalogue.ts"
import type { AgentSalesDeps } from "../../src/agent-mode/deps.ts"
import { agentSales } from "../../src/agent-mode/sales-routes.ts"
import { type Machine, realMachine } from "../../src/base/machine.ts"
import { encodeBase64url } from "../../src/core/base64url.ts"
import { signValue } from "../../src/core/signer.ts"
import { formatInstant, MINUTE } from "../../src/core/time.ts"
import { router } from "../../src/http/router.ts"
import { ServedOperations } from "../../src/http/served.ts"
import { agentIdBootstrap } from "../../src/products/agent-id/descriptor.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { AGENT_ID, agentKey, enterAgent, type TestKey, testKey } from "../fixtures/buyers.ts"
import { openMigrated } from "../fixtures/new-database.ts"
import { testShell } from "../fixtures/shell.ts"
import { besideOf } from "../fixtures/test-database.ts"

/** A request arrives by http: a proxy ends TLS. */
const ORIGIN = "http://localhost"
export const BASE = "https://svc.example"
const signer = testKey("svc", 9)

const SOLD: readonly SoldLine[] = [
  {
    id: "us.company.check.v1",
    price: "0.04",
    priceAtomic: 40_000n,
    reviewDuty: "REVIEW_QUOTE_BEFORE_PAYMENT",
    owner: "PAYER",
  },
  {
    id: "decision-gate.release-payment-to-supplier.v1",
    price: "0.79",
    priceAtomic: 790_000n,
    reviewDuty: "REVIEW_QUOTE_BEFORE_PAYMENT",
    owner: "SIGNER",
  },
]
export const COMPANY_CHECK = "us.company.check.v1"
export const PAYMENT_DECISION = "decision-gate.release-payment-to-supplier.v1"

export interface SalesServerOptions {
  readonly machine?: Machine
  readonly isOn?: Partial<AgentSalesDeps["isOn"]>
  readonly catalogue?: Partial<CatalogueParts>
  readonly baseUrl?: string
  /** Replaces the one key, which signs and is active. */
  readonly keys?: Partial<Pick<AgentSalesDeps, "signer" | "signerOrNull" | "findKey">>
}

export interface SalesServer {
  readonly app: ReturnType<typeof router>
  readonly store: SqliteStore
  readonly database: Database
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  close(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any route
  readonly body: any
}

export function openSalesServer(path: string, options: SalesServerOptions = {}): SalesServer {
  const machine = options.machine ?? realMachine
  const database = openMigrated(path, formatInstant(machine.now()))
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  const served = new ServedOperations()
  const { shell } = testShell({ machine, served, baseUrl: () => options.baseUrl ?? BASE })
  const bought: readonly Operation[] = [checkCompany, releasePaymentDecision]
  const app = router(
    shell,
    agentSales({
      shell,
      store,
      machine,
      signer: () => signer,
      signerOrNull: () => signer,
      refreshKeys: async () => {},
      findKey: (keyId) => (keyId === signer.keyId ? { status: "ACTIVE" } : undefined),
      baseUrl: () => options.baseUrl ?? BASE,
      environment: "test",
      isOn: { sales: true, beacon: true, ...options.isOn },
      catalogue: {
        operations: () => [...served.rows(), ...bought],
        sold: SOLD,
        network: () => "eip155:8453",
        isReady: () => true,
        sources: (country) => [{ sourceId: `${country}_LIST`, health: country === "US" ? "HEALTHY" : "STALE" }],
        hasSandbox: () => false,
        servesJobs: () => false,
        hasMailbox: () => false,
        ...options.catalogue,
      },
      identity: () => agentIdBootstrap({ baseUrl: BASE, issuerName: "Test" }),
      ...options.keys,
    }),
  )
  const send = async (request: Request): Promise<Answer> => {
    const response = await app.handle(request)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) }
  }
  return {
    app,
    store,
    database,
    post: (to, body, headers = {}) =>
      send(
        new Request(ORIGIN + to, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: typeof body === "string" ? body : JSON.stringify(body),
        }),
      ),
    get: (to, headers = {}) => send(new Request(ORIGIN + to, { headers })),
    close: () => store.close(),
  }
}

export async function enterTestAgent({ database }: Pick<SalesServer, "database">, at: number): Promise<void> {
  await enterAgent(besideOf(database), at - MINUTE)
}

let serial = 0

/** Who signs a message, and for which service. */
export interface MessageSigner {
  readonly key?: Pick<TestKey, "keyId" | "privateKey">
  readonly agentId?: string
  readonly audience?: string
}

/** A signed message. `members` replace those of the envelope before it is signed. */
export function signedMessage(
  domain: string,
  at: number,
  members: Record<string, unknown>,
  { key = agentKey, agentId = AGENT_ID, audience = BASE }: MessageSigner = {},
): Record<string, unknown> & { idempotency_key: string } {
  serial++
  const content = {
    schema_version: "1.0.0",
    contract_version: "1.0.0",
    domain,
    agent_id: agentId,
    key_id: key.keyId,
    audience,
    scopes: ["SALES_DIALOGUE", "INTENT_BEACON", "SALES_OPT_OUT"],
    issued_at: formatInstant(at),
    expires_at: formatInstant(at + 5 * MINUTE),
    nonce: encodeBase64url(realMachine.random(32)),
    idempotency_key: `key-${process.pid}-${serial}-${at}`,
    ...members,
  }
  return {
    ...content,
    signature: signValue({ keyId: key.keyId, privateKey: key.privateKey, issuer: agentId }, content),
  }
}

export const dialogueTurn = (at: number, members: Record<string, unknown> = {}, by: MessageSigner = {}) =>
  signedMessage(
    "svc.sales.dialogue.v1",
    at,
    {
      dialogue_id: "dialogue-1",
      turn: 0,
      in_reply_to: null,
      channel: "http-api",
      topic: "PRICE",
      product_ids: [],
      questions: [],
      constraints: null,
      acknowledged_offers: [],
      ...members,
    },
    by,
  )

export const optOut = (at: number, members: Record<string, unknown> = {}, by: MessageSigner = {}) =>
  signedMessage("svc.sales.opt-out.v1", at, { scope: "ALL", product_id: null, channel: null, ...members }, by)

export const consent = (at: number, members: Record<string, unknown> = {}, by: MessageSigner = {}) =>
  signedMessage(
    "svc.beacon.consent.v1",
    at,
    {
      consent_id: "consent-1",
      purpose: "INTENT_BEACON",
      event_kinds: ["INTENT_OPENED", "QUOTE_VIEWED"],
      channels: ["http-api", "sales-dialogue"],
      policy_version: "1.0.0",
      valid_from: formatInstant(at - MINUTE),
      valid_until: formatInstant(at + 60 * 24 * 60 * MINUTE),
      max_events_per_day: 1000,
      ...members,
    },
    by,
  )

export const revocation = (at: number, members: Record<string, unknown> = {}, by: MessageSigner = {}) =>
  signedMessage("svc.beacon.revocation.v1", at, { consent_id: "consent-1", ...members }, by)

export const event = (at: number, members: Record<string, unknown> = {}, by: MessageSigner = {}) =>
  signedMessage(
    "svc.beacon.event.v1",
    at,
    {
      event_id: `event-${process.pid}-${++serial}`,
      consent_id: "consent-1",
      event_kind: "INTENT_OPENED",
      product_id: null,
      channel: "http-api",
      occurred_at: formatInstant(at),
      ...members,
    },
    by,
  )

export const PATHS = {
  dialogue: "/v1/agent-mode/sales/dialogue",
  optOut: "/v1/agent-mode/sales/opt-out",
  channels: "/v1/agent-mode/sales/multichannel/status",
  offer: (id: string) => `/v1/agent-mode/sales/offers/${id}/status`,
  adoption: "/v1/agent-mode/identity-adoption",
  consents: "/v1/agent-mode/intent-beacon/consents",
  revoke: (id = "consent-1") => `/v1/agent-mode/intent-beacon/consents/${id}/revoke`,
  events: "/v1/agent-mode/intent-beacon/events",
} as const
