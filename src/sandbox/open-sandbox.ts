/** Opens the second service of a sandbox: an in-memory database, the real parts and the real route map. Nothing of it reaches outside. */
import { openInMemory } from "../../db/schema-image.ts"
import { type Config, defaultConfig } from "../base/config.ts"
import { createLog } from "../base/log.ts"
import { formatInstant } from "../core/time.ts"
import { maintainRelayers, resumeAbandoned } from "../delivery/reconcile.ts"
import type { Network } from "../payments/networks/network.ts"
import { SERVED_NETWORK } from "../payments/networks/networks.ts"
import { assembleService, type Service } from "../server/service.ts"
import { SqliteStore } from "../store/engine/sqlite/sqlite-store.ts"
import { openOwnKeys, SANDBOX_ISSUER } from "./own-keys.ts"
import type { SandboxBoards } from "./synthetic-boards.ts"
import { type SyntheticChain, syntheticChain } from "./synthetic-chain.ts"
import { syntheticSeed } from "./synthetic-keys.ts"
import { type SyntheticMachine, syntheticMachine } from "./synthetic-machine.ts"

/** No host can have this name (RFC 6761). */
export const SANDBOX_BASE_URL = "https://sandbox.svc.invalid"

interface SandboxInput {
  readonly journey: string
  readonly seed: number
  /** When the journey begins, milliseconds since the epoch. */
  readonly clock: number
  readonly boards: SandboxBoards
  readonly routes: RouteMap
  /** Default: the network that the program sells on. */
  readonly network?: Network
}

/** The route map of a service. `server` hands it in, because it also serves the sandbox. */
export type RouteMap = (service: Service) => {
  compile(): { readonly fetch: (request: Request) => Response | Promise<Response> }
}

export interface Sandbox {
  readonly service: Service
  readonly machine: SyntheticMachine
  readonly chain: SyntheticChain
  /** Sends a request to the route map. */
  send(request: Request): Promise<Response>
  /** Mines a block and ends the attempts whose payments are in it. */
  mineBlock(): Promise<void>
  close(): Promise<void>
}

export async function openSandbox(input: SandboxInput): Promise<Sandbox> {
  const { journey, seed, clock, boards, routes, network = SERVED_NETWORK } = input
  const machine = syntheticMachine({ journey, seed, clock })
  const database = openInMemory(formatInstant(clock))
  const fail = (error: unknown): never => {
    throw error
  }
  const store = new SqliteStore(database, fail)
  const keys = await openOwnKeys(store, seed, machine)
  const chain = syntheticChain(seed, machine, network)
  const service = await assembleService({
    config: sandboxConfig(),
    network,
    baseUrl: SANDBOX_BASE_URL,
    machine,
    log: createLog("error", () => {}, machine.now),
    environment: "sandbox",
    store,
    isShared: false,
    quoteKey: syntheticSeed(seed, "QUOTE_KEY"),
    tokenKey: syntheticSeed(seed, "TOKEN_KEY"),
    directory: "/",
    keys,
    ...boards,
    live: null,
    fetching: false,
    checks: [],
    openPayments: async () => chain.payments,
    jobs: null,
    mail: null,
    workers: [],
    close: () => store.close(),
  })
  await service.open()
  await service.readiness.runAgain()
  const { fetch: answer } = routes(service).compile()
  return {
    service,
    machine,
    chain,
    // As behind a proxy that ends TLS: the route map reads the path of plain HTTP addresses.
    send: async (request) => answer(new Request(request.url.replace(/^https:/, "http:"), request)),
    mineBlock: async () => {
      chain.mine()
      await machine.sleep(service.config.lease_seconds * 1000)
      const paying = { ...service.delivery, payments: chain.payments }
      await resumeAbandoned(paying)
      await maintainRelayers(paying)
    },
    close: () => service.close(),
  }
}

/** CHOICE: the service of a sandbox has no limits by address and every free part on, and runs no journeys itself. */
function sandboxConfig(): Config {
  return {
    ...defaultConfig(),
    base_url: SANDBOX_BASE_URL,
    issuer_id: SANDBOX_ISSUER,
    issuer_name: "SYNTHETIC SANDBOX",
    payments: "test",
    agent_mode_planning: true,
    intent_beacon: true,
    sandbox: false,
    rate_limits: false,
    disk_free_min_mb: 0,
  }
}
