/** The synthetic side of a rehearsal: an empty database in memory with one verified buyer and one enrolled agent under a delegation. */
import { migrate } from "../../../db/migrate.ts"
import { openMemoryDatabase } from "../../../db/open.ts"
import type { BuyerDelegation } from "../../../schemas/us/buyer-delegation.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { digestBytes } from "../../core/digest.ts"
import type { Signer } from "../../core/signer.ts"
import { formatInstant } from "../../core/time.ts"
import type { Call } from "../../http/call.ts"
import { unlimited } from "../../http/rate-limit.ts"
import type { Shell } from "../../http/shell.ts"
import { ownEnrolment, withReceipt } from "../../keys/own-event.ts"
import { createLog } from "../../log.ts"
import type { Machine } from "../../machine.ts"
import { enroll } from "../../products/us/buyer-onboarding/enroll.ts"
import { recordKeyEvent } from "../../store/identity/key-event-record.ts"
import { SqliteStore } from "../../store/sqlite-store.ts"
import {
  enterBuyer,
  type SyntheticAgent,
  type SyntheticBuyer,
  syntheticBuyer,
  syntheticDelegation,
} from "../synthetic-buyer.ts"
import { syntheticKey } from "../synthetic-keys.ts"
import { SyntheticMachine } from "../synthetic-machine.ts"

/** Base URL and issuer of everything that the sandbox decides. No host has the name. */
export const SANDBOX_BASE_URL = "https://sandbox.svc.invalid"
export const SANDBOX_ISSUER = "svc:sandbox"
/** No key of this wallet exists here, and nothing is paid. */
const PAYER = `0x${"5a".repeat(20)}`

export interface RehearsalWorld {
  readonly store: SqliteStore
  readonly machine: Machine
  readonly baseUrl: () => string
  /** Signs capsules. Anyone can make the key. */
  readonly signer: () => Signer
  readonly buyer: SyntheticBuyer
  readonly agent: SyntheticAgent
  /** Lower case. */
  readonly payer: string
  close(): Promise<void>
}

export interface WorldSeed {
  readonly journey: string
  readonly seed: number
  /** Milliseconds since the epoch. */
  readonly clock: number
  /** ISO 4217: the currency in which the agent may sign. */
  readonly currency: string
}

export async function openRehearsalWorld({ journey, seed, clock, currency }: WorldSeed): Promise<RehearsalWorld> {
  const machine = new SyntheticMachine({ journey, seed, clock })
  const database = openMemoryDatabase()
  migrate(database, formatInstant(clock))
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  const statement = syntheticKey(seed, "STATEMENT")
  const signer: Signer = { issuer: SANDBOX_ISSUER, keyId: statement.keyId, privateKey: statement.privateKey }
  const buyer = syntheticBuyer(seed)
  await enterBuyer(store, buyer, clock)
  const agent = await enrolAgent(store, machine, seed, signer)
  await delegate(
    { store, machine, signer },
    syntheticDelegation(buyer, agent, SANDBOX_BASE_URL, machine, currency),
    buyer,
  )
  return {
    store,
    machine,
    baseUrl: () => SANDBOX_BASE_URL,
    signer: () => signer,
    buyer,
    agent,
    payer: PAYER,
    close: () => store.close(),
  }
}

async function enrolAgent(store: SqliteStore, machine: Machine, seed: number, signer: Signer): Promise<SyntheticAgent> {
  const operational = syntheticKey(seed, "AGENT_OPERATIONAL")
  const keys = {
    operational,
    recovery: syntheticKey(seed, "AGENT_RECOVERY"),
    nextKeyId: syntheticKey(seed, "AGENT_NEXT").keyId,
  }
  const outcome = ownEnrolment(keys, SANDBOX_BASE_URL, machine)
  if ("fault" in outcome) throw new Error(`the synthetic agent breaks a rule: ${outcome.fault}`)
  await store.run(() => recordKeyEvent(withReceipt(outcome.event, signer)))
  return { issuer: outcome.event.after.agentId, keyId: operational.keyId, privateKey: operational.privateKey }
}

/** Through the route's own function, so that the delegation has passed every check that a buyer's has. */
async function delegate(
  { store, machine, signer }: { readonly store: SqliteStore; readonly machine: Machine; readonly signer: Signer },
  body: BuyerDelegation,
  buyer: SyntheticBuyer,
): Promise<void> {
  const deps = {
    shell: silentShell(machine),
    store,
    machine,
    signer: () => signer,
    baseUrl: () => SANDBOX_BASE_URL,
    decoy: buyer.mandateX,
  }
  const { status } = await enroll(deps, callOf(body, machine.now()))
  if (status !== 201) throw new Error(`the synthetic delegation was answered ${status}`)
}

/** A call that did not arrive as an HTTP request. */
export function callOf<Body extends object>(body: Body, at: number): Call<Body> {
  return {
    body,
    bodyDigest: digestBytes(canonicalBytes(body)),
    params: {},
    headers: new Headers(),
    path: "",
    requestId: "req_rehearsal",
    traceId: "rehearsal",
    client: "",
    at,
    poll: null,
  }
}

function silentShell(machine: Machine): Shell {
  return {
    machine,
    log: createLog("error", () => {}, machine.now.bind(machine)),
    limiter: unlimited,
    trustedProxies: new Set(),
    baseUrl: () => SANDBOX_BASE_URL,
  }
}
