/** The result of `verify` for a file, without a network: genuine, current, permitted, and why. */
import type { OfflineProgram } from "./isolated.ts"
import { expectSame } from "./story.ts"

interface Verified {
  readonly genuine: string
  readonly current: string
  readonly permitted: {
    readonly machine_action: string | null
    readonly reasons: readonly { readonly why: string | null }[]
  }
}

interface ThreeWords {
  /** For example "GENUINE, CURRENT, RELEASE_PAYMENT". */
  readonly words: string
  /** The policy's sentence for the first reason; empty if there is none. */
  readonly why: string
}

/** Throws unless the file is genuine, current, and permits `action`. A passport permits null. */
export function threeWords(offline: OfflineProgram, args: readonly string[], action: string | null): ThreeWords {
  const { genuine, current, permitted } = JSON.parse(offline.run(["verify", ...args, "--json"])) as Verified
  expectSame("genuine", genuine, "GENUINE")
  expectSame("current", current, "CURRENT")
  expectSame("permitted", permitted.machine_action, action)
  return { words: `${genuine}, ${current}, ${action ?? "permits nothing"}`, why: permitted.reasons[0]?.why ?? "" }
}
