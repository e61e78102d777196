/** One simulated server: the real routes, delivery path, workers and products over a given database and given nodes. */
import { getServiceJwks } from "../../schemas/discovery/jwks.ts"
import { getServiceProof } from "../../schemas/discovery/service-proof.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { createLog } from "../../src/base/log.ts"
import type { Machine } from "../../src/base/machine.ts"
import { Readiness, readinessWorker } from "../../src/base/readiness.ts"
import type { Worker } from "../../src/base/worker.ts"
import type { Signer } from "../../src/core/signer.ts"
import { openDelivery, PAYMENTS_OPENING } from "../../src/delivery/open-delivery.ts"
import { failureLimit } from "../../src/http/failure-limit.ts"
import { ALWAYS_SPACE } from "../../src/http/free-writes.ts"
import { unlimited } from "../../src/http/rate-limit.ts"
import { type JobRailSeams, jobRailOver } from "../../src/jobs/open-jobs.ts"
import type { Payments } from "../../src/payments/payments.ts"
import { countryRoutes } from "../../src/products/common/country-routes.ts"
import { productRoutes } from "../../src/products/common/product-route.ts"
import type { GbSources } from "../../src/products/gb/supplier-sources.ts"
import { productSlices, sliceOf } from "../../src/products/product-slices.ts"
import { jobProduct } from "../../src/products/us/payment-decision/job-product.ts"
import type { SourceBoard } from "../../src/sources/boards/source-board.ts"
import { screenWallet } from "../../src/sources/screening/screen.ts"
import { NO_SUPPRESSIONS } from "../../src/sources/screening/suppress.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import { NO_REGISTERS, ORIGIN, TOKEN_KEY } from "../fixtures/test-server.ts"
import type { UsedDatabase } from "./database/simulated-database.ts"

export interface SimulatedServerParts {
  readonly machine: Machine
  /** Called once. An error is that of a failed start. */
  readonly openDatabase: () => UsedDatabase
  readonly payments: Payments
  readonly board: SourceBoard
  readonly gb: GbSources
  readonly signer: () => Signer
  readonly leaseSeconds: number
  /** Null: the server serves no jobs. */
  readonly jobs: (Pick<JobRailSeams, "hub" | "wallet" | "terms"> & { publicKeyOf(keyId: string): string | null }) | null
  readonly onLog: (line: Record<string, unknown>) => void
}

export interface SimulatedServer {
  readonly store: Store
  /** Of its leases. */
  readonly owner: string
  readonly workers: readonly Worker[]
  post(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<Response>
}

export async function openSimulatedServer(parts: SimulatedServerParts): Promise<SimulatedServer> {
  const { machine, payments, board, signer } = parts
  const database = parts.openDatabase()
  const { store } = database
  const log = createLog("info", (line) => parts.onLog(JSON.parse(line)), machine.now)
  const environment = payments.environment
  const shared = { machine, signer, baseUrl: () => ORIGIN, environment }
  const suppressions = () => NO_SUPPRESSIONS
  const us = { sources: board, registers: NO_REGISTERS, suppressions, fetching: false }
  const slices = productSlices({ ...shared, tokenKey: TOKEN_KEY, us, gb: parts.gb })
  const readiness = new Readiness({ machine, log, first: PAYMENTS_OPENING })
  const delivery = openDelivery({
    store,
    machine,
    log,
    limiter: unlimited,
    failures: failureLimit({ limiter: unlimited, store, machine, isShared: false, hasSpace: () => true }),
    baseUrl: () => ORIGIN,
    openPayments: async () => payments,
    quoteKey: new Uint8Array(32).fill(7),
    readiness,
    products: slices.map(({ paid }) => paid),
    leaseSeconds: parts.leaseSeconds,
    directory: "/",
    diskFreeMinMb: 0,
  })
  await delivery.deps.opened()
  const shell = {
    machine,
    log,
    limiter: unlimited,
    trustedProxies: new Set<string>(),
    baseUrl: () => "http://localhost",
    network: "eip155:8453",
  }
  const isRestrictedWallet = (address: string) => screenWallet(board.index(), address) !== null
  const selling = { shell, delivery: delivery.deps, isRestrictedWallet, reviewOf: () => null }
  const decision = sliceOf(slices, PAYMENT_DECISION_PRODUCT)
  const routes = [...productRoutes(selling, decision), ...countryRoutes(selling, slices, "GB")]
  // Elysia would compile a program for the routes of every life, so the routes are called directly.
  const handlers = new Map(
    routes
      .filter(({ operation }) => operation.method === "POST")
      .map(({ operation, reply }) => [operation.path, reply]),
  )
  const rail =
    parts.jobs &&
    jobRailOver({
      ...parts.jobs,
      delivery: delivery.deps,
      writer: (at) => ALWAYS_SPACE.writer(null, at),
      sold: jobProduct({ store, sold: decision, isRestrictedWallet }),
      issuer: {
        publicKeyOf: async (keyId) => parts.jobs?.publicKeyOf(keyId) ?? null,
        jwksPath: getServiceJwks.path,
        revocationPath: getServiceProof.path,
      },
    })
  return {
    store,
    owner: delivery.deps.owner,
    workers: [
      readinessWorker(readiness, { machine, log }),
      ...delivery.workers,
      ...(rail?.workers ?? []),
      ...database.workers(log),
    ],
    post: async (path, body, headers) => {
      const handler = handlers.get(path)
      if (!handler) throw new TypeError(`no route ${path}`)
      const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body }
      return handler({ request: new Request(`${ORIGIN}${path}`, init), path, params: undefined })
    },
  }
}
