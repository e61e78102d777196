/** What goes wrong by itself, at times that the seed decides: each kind has its own stream, so that one never moves another. */
import type { FaultRates } from "./faults.ts"
import type { Random } from "./random.ts"
import type { Scheduler } from "./scheduler.ts"

type Kind = Exclude<keyof FaultRates, "rpc" | "database" | "robbery" | "lies" | "farJump">

/** Calls `strike` again and again at the kind's rate, `times` as often where several things may be struck, while `isOn`. */
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
