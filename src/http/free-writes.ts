/** Names the writer of a free write for the gate of the store, and turns what the gate refused into a refusal. */

import { ServiceError } from "../base/errors.ts"
import { formatInstant, waitSeconds } from "../core/time.ts"
import type { FreeWriter, NotAdmitted } from "../store/free-writes/admit.ts"
import { SHARED_CAPS, type SharedCap, type SharedCaps } from "../store/free-writes/shared-caps.ts"

export interface FreeWrites {
  /** `client`: rate-limit key, or null if the writer has no address. `at` in milliseconds. */
  writer(client: string | null, at: number): FreeWriter
}

export function freeWrites(hasSpace: () => boolean, caps: SharedCaps = SHARED_CAPS): FreeWrites {
  return { writer: (client, at) => ({ client, at, hasSpace: hasSpace(), caps }) }
}

/** For a service that keeps no disk free. */
export const ALWAYS_SPACE: FreeWrites = freeWrites(() => true)

/** What a caller waits for the operator to free the disk. */
const NO_SPACE_SECONDS = 300

const WHOSE = {
  ADDRESS: "The share of this address",
  AGENT: "The share of this identity",
  DOMAIN: "The share of this mail domain",
  MAILBOX: "The share of this mailbox",
  ALL: "What all callers together may use",
} as const satisfies Record<Exclude<NotAdmitted["whose"], "NO_SPACE">, string>

/** 503 below the floor, 429 for a share that is used up. `at` in milliseconds. */
export function notAdmittedError({ cap, whose, endsAt }: NotAdmitted, at: number): ServiceError {
  if (whose === "NO_SPACE") {
    return new ServiceError(
      "DISK_RESERVED",
      "The disk is kept for what is sold. Reading, buying, recovering, revoking and leaving still work.",
      { reasonCodes: [cap], retryAfterSeconds: NO_SPACE_SECONDS },
    )
  }
  const { what, window, instead }: SharedCap = SHARED_CAPS[cap]
  return new ServiceError(
    "RATE_LIMITED",
    `${WHOSE[whose]} in ${what} (limit ${cap}) is used up until ${formatInstant(endsAt)}; ${instead}.`,
    {
      reasonCodes: [`${cap}_OF_${whose}`],
      retryAfterSeconds: waitSeconds(endsAt, at, window / 1000),
    },
  )
}
