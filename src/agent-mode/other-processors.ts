import { availableParallelism } from "node:os"
import type { Shell } from "../http/shell.ts"

/** Whether a thread of the runtime's pool can sign and verify beside this one. On one processor a handover only adds work. */
export const HAS_OTHER_PROCESSORS = availableParallelism() > 1

/**
 * Resolves when all requests of this poll can hand their signatures to the pool together. An idle thread sleeps, and to wake it for each
 * takes a third of the time of signing.
 */
export function untilHandover({ socket }: Pick<Shell, "socket">): Promise<void> | undefined {
  return socket?.polls.end()
}
