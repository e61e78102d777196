/** A data directory with agents and their events in the log, and a server of its log in this process. */
import type { Database } from "bun:sqlite"
import { command, runLogAudit } from "../../src/cli/log/audit.ts"
import type { ServerCalls } from "../../src/cli/log/audit-server.ts"
import { writeVerifierKey } from "../../src/core/checkpoint.ts"
import { keyFromSeed } from "../../src/core/ed25519.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { type LogKey, verifierKeyOf } from "../../src/core/sign-checkpoint.ts"
import { openDataDirectory } from "../../src/data/data-directory.ts"
import { router } from "../../src/http/router.ts"
import { Checkpoints } from "../../src/products/agent-id/log-checkpoint.ts"
import { transparencyLog } from "../../src/products/agent-id/log-routes.ts"
import { fixedLogOrigin } from "../../src/store/log/log-origin.ts"
import { appendKeyEvent, appendStatement, readTreeHead } from "../../src/store/log/transparency-log.ts"
import { databaseOf } from "../fixtures/database-of.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { makeOlderDirectory } from "../fixtures/older-directory.ts"
import { sha } from "../fixtures/reference-log.ts"
import { clockAt } from "../fixtures/service.ts"
import { testShell } from "../fixtures/shell.ts"
import { type Ran, runCommand } from "../fixtures/terminal.ts"

export const ORIGIN = "svc.example/agent-id/log/1"
export const SERVER = "http://svc.example"
export const logKey: LogKey = { keyId: "log-key", ...keyFromSeed(new Uint8Array(32).fill(1)) }
export const VKEY = writeVerifierKey(sha256, verifierKeyOf(ORIGIN, logKey.x))

const clock = clockAt(Date.UTC(2026, 0, 1))
const digest = (name: string) => `sha256:${Buffer.from(sha(Buffer.from(name))).toString("hex")}`
const onFatal = (error: unknown): never => {
  throw error
}

export async function auditedDirectory() {
  const fresh = freshDirectory()
  const path = `${fresh.path}/data`
  // Not yet served, so the log is empty and indexes here are those of `grow`.
  await makeOlderDirectory(path, clock.now())
  const opened = await openDataDirectory(path, { machine: clock, migrate: true, onFatal })
  const { store } = opened
  const database = databaseOf(opened)
  await store.run(() => fixedLogOrigin("svc.example"))
  const checkpoints = new Checkpoints(ORIGIN, () => logKey)
  const { shell } = testShell()
  const routes = transparencyLog({
    shell,
    store,
    baseUrl: () => SERVER,
    origin: ORIGIN,
    earlierOrigins: [],
    checkpoints,
    publicKeys: () => [logKey.x],
  })
  const app = router(shell, routes)
  return {
    path,
    store,
    database,
    /** Events `from` to `to`: those of 9 agents in turn, every fifth an artifact instead. `history` tells two histories apart. */
    grow: async (from: number, to: number, history = "") => {
      for (let i = from; i < to; i++) {
        const name = `event ${history}${i}`
        if (i % 5 === 4) await store.run(() => appendStatement("ARTIFACT", digest(name)))
        else {
          // One unit, as in the product: no reader sees a leaf without the agent's row.
          await store.run(function* () {
            yield* appendKeyEvent(`svc:agent:${i % 9}`, digest(name))
            recordAgent(database, `svc:agent:${i % 9}`, digest(name))
          })
        }
      }
    },
    note: async () => checkpoints.of(await store.read(readTreeHead)),
    send: async (request: Request) => await app.handle(request),
    [Symbol.asyncDispose]: async () => {
      await store.close()
      fresh[Symbol.dispose]()
    },
  }
}

function recordAgent(database: Database, agentId: string, eventDigest: string): void {
  database
    .query(
      "INSERT INTO agent (agent_id, identity_status, sequence, head_event_digest, head_accepted_at) VALUES (?1, 'ACTIVE', 0, ?2, '2026-01-01T00:00:00.000Z') ON CONFLICT DO UPDATE SET head_event_digest = ?2",
    )
    .run(agentId, eventDigest)
}

export const auditData = (path: string, ...more: string[]): Promise<Ran> =>
  runCommand(command, ["--data", path, ...more])

/** Audits over requests that go straight to `send`, without any pause. */
export function auditServed(send: ServerCalls["send"], ...more: string[]): Promise<Ran & { waited: number[] }> {
  const waited: number[] = []
  const calls = { send, wait: async (milliseconds: number) => void waited.push(milliseconds) }
  const overCalls = { ...command, run: (input: Parameters<typeof command.run>[0]) => runLogAudit(input, calls) }
  return runCommand(overCalls, ["--server", SERVER, ...more]).then((ran) => ({ ...ran, waited }))
}
