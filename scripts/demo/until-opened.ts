const OPENED_MS = 60_000
/** The first pause. Later ones are longer, because a free route answers one address 600 times a minute. */
const PAUSE_MS_FIRST = 10
const PAUSE_MS_MAX = 250

/** Waits until a listening server has opened payments and checked the chain. The caller reads the result. */
export async function untilOpened(origin: string): Promise<void> {
  const until = performance.now() + OPENED_MS
  for (let pause = PAUSE_MS_FIRST; ; pause = Math.min(2 * pause, PAUSE_MS_MAX)) {
    const answer = await fetch(`${origin}/readyz`)
    const { reason_codes: reasons = [] } = (await answer.json()) as { reason_codes?: readonly string[] }
    if (!reasons.includes("PAYMENTS_OPENING")) return
    if (performance.now() > until) throw new Error("payments were not opened in a minute")
    await Bun.sleep(pause)
  }
}
