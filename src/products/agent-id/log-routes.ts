import * as operations from "../../../schemas/agent-id/log.ts"
import { conditional } from "../../http/conditional.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { EarlierOrigin } from "../../store/log/log-origin.ts"
import { readTreeHead } from "../../store/log/transparency-log.ts"
import type { Checkpoints } from "./log-checkpoint.ts"
import { logDescriptor } from "./log-descriptor.ts"
import { replyConsistency, replyInclusion } from "./log-proof.ts"
import { replyTile } from "./log-tile.ts"

interface LogDeps {
  readonly shell: Shell
  readonly store: Store
  readonly baseUrl: () => string
  readonly origin: string
  readonly earlierOrigins: readonly EarlierOrigin[]
  readonly checkpoints: Checkpoints
  /** Public keys that sign or signed checkpoints, base64url, the current key first. */
  readonly publicKeys: () => readonly string[]
}

export function transparencyLog(deps: LogDeps): readonly Route[] {
  const { shell, store, baseUrl, checkpoints, publicKeys } = deps
  return [
    serve(shell, operations.readLogDescriptor, () => ({
      status: 200,
      body: logDescriptor(deps, baseUrl(), publicKeys()),
      headers: { "cache-control": "public, max-age=300" },
    })),
    serve(shell, operations.readLogCheckpoint, async ({ headers }) => {
      const note = checkpoints.of(await store.read(readTreeHead))
      return conditional(headers, new TextEncoder().encode(note), {
        "content-type": "text/plain; charset=utf-8",
        "cache-control": "public, no-cache",
      })
    }),
    serve(shell, operations.readLogTile, (call) => replyTile(store, call)),
    serve(shell, operations.readLogInclusion, (call) => replyInclusion(store, call)),
    serve(shell, operations.readLogConsistency, (call) => replyConsistency(store, call)),
  ]
}
