/** One service with an enrolled agent and one without, and a count of the work that a question causes. */

import { keyFromSeed } from "../../src/core/ed25519.ts"
import { keyIdOf } from "../../src/core/jwk.ts"
import { routes } from "../../src/server/app.ts"
import type { Store, Unit } from "../../src/store/engine/unit.ts"
import { enrolmentRequest, proofOf, type TestAgentKeys } from "../fixtures/agent.ts"
import { DECIDED_AT } from "../fixtures/decision.ts"
import { BASE_URL, clockAt, type TestService, testService } from "../fixtures/service.ts"

export const seeded = (byte: number) => {
  const { x, privateKey } = keyFromSeed(new Uint8Array(32).fill(byte))
  return { keyId: keyIdOf(x), x, privateKey }
}

/** The operational key is the one that signs the requests of the fixtures. */
export const victim: TestAgentKeys = { operational: seeded(2), recovery: seeded(3) }

export const stranger: TestAgentKeys = { operational: seeded(200), recovery: seeded(201) }

export interface WatchedServer extends TestService {
  readonly ask: (request: Request) => Promise<Response>
  readonly rows: readonly { readonly method: string; readonly path: string }[]
  /** Units and statements run since the last call. */
  readonly work: () => string
  readonly victimId: string
}

export async function openServer(withVictim: boolean): Promise<WatchedServer> {
  const running = await testService(clockAt(DECIDED_AT), { rate_limits: "off" })
  const work = countWork(running.service.store)
  const app = routes(running.service)
  const ask = (request: Request) => app.handle(request)
  const victimId = withVictim ? await enrolled(ask) : ""
  work()
  return { ...running, ask, rows: app.routes, work, victimId }
}

export function countWork(store: Store): () => string {
  const count = { units: 0, statements: 0 }
  for (const name of ["run", "read"] as const) {
    const original = store[name].bind(store) as (unit: () => Unit<unknown>) => Promise<unknown>
    Object.assign(store, {
      [name]: (unit: () => Unit<unknown>) => {
        count.units++
        return original(() => counted(unit()))
      },
    })
  }
  const together = store.readTogether.bind(store)
  Object.assign(store, {
    readTogether: (unit: (version: number) => Unit<unknown>) => {
      count.units++
      return together((version) => counted(unit(version)))
    },
  })
  function* counted<T>(unit: Unit<T>): Unit<T> {
    let step = unit.next()
    while (!step.done) {
      count.statements++
      step = unit.next(yield step.value)
    }
    return step.value
  }
  return () => {
    const told = `${count.units} units, ${count.statements} statements`
    Object.assign(count, { units: 0, statements: 0 })
    return told
  }
}

export async function enrolled(ask: WatchedServer["ask"]): Promise<string> {
  const challenge = await (await ask(post("/v1/agent-identities/challenges", enrolmentRequest(victim)))).json()
  const path = `/v1/agent-identities/challenges/${challenge.challenge.challenge_id}/prove`
  return (await (await ask(post(path, proofOf(challenge, victim)))).json()).agent_id
}

export function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(BASE_URL + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })
}
