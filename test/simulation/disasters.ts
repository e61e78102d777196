/** Spontaneous faults at times that the seed decides. Each kind has its own stream, so that one never affects another. */
import type { FaultRates } from "./faults.ts"
import type { Random } from "./random.ts"
import type { Scheduler } from "./scheduler.ts"

type Kind = Exclude<
  keyof FaultRates,
  "rpc" | "hub" | "database" | "server" | "robbery" | "adversary" | "oddWindow" | "lies" | "farJump"
>

/** Calls `strike` repeatedly at the kind's rate, `times` as often if several targets exist, while `isOn`. */
export function strikeAtRate(
  kind: Kind,
  rates: FaultRates,
  { scheduler, random, isOn }: { readonly scheduler: Scheduler; readonly random: Random; readonly isOn: () => boolean },
  strike: (random: Random) => void,
  times = 1,
): void {
  const rate = rates[kind] * times
  if (rate <= 0) return
  const own = random.stream(kind)
  const next = () => {
    const waitMs = (-Math.log(1 - own.fraction()) / rate) * 1000
    scheduler.after(waitMs, kind, null, () => {
      if (!isOn()) return
      strike(own)
      next()
    })
  }
  next()
}
